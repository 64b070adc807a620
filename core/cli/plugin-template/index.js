import { definePlugin } from 'tasuki/plugin'
import { migrations } from './migrations/index.js'
import { remarksAdd } from './tools/example_remarks_add.js'
import { remarksList } from './tools/example_remarks_list.js'

export const plugin = definePlugin({
  name: 'example',
  version: '0.1.0',
  api: 1,
  group: 'example',
  dependsOn: ['items'],
  entities: () => import('./entities.js'),
  migrations,
  tools: [remarksAdd, remarksList],
})
