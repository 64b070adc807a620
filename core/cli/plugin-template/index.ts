import { definePlugin } from 'tasuki/plugin'
import { migrations } from './migrations/index.ts'
import { remarksAdd } from './tools/example_remarks_add.ts'
import { remarksEdit } from './tools/example_remarks_edit.ts'
import { remarksList } from './tools/example_remarks_list.ts'

export const plugin = definePlugin({
  name: 'example',
  version: '0.1.0',
  api: 1,
  dependsOn: ['items'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [remarksAdd, remarksEdit, remarksList],
})
