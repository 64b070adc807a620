import { definePlugin } from 'tasuki/plugin'
import { Remark } from './entities.js'
import { migrations } from './migrations/index.js'
import { remarksAdd } from './tools/example_remarks_add.js'
import { remarksList } from './tools/example_remarks_list.js'

export const plugin = definePlugin({
  name: 'example',
  version: '0.1.0',
  api: 1,
  group: 'example',
  dependsOn: ['items'],
  entities: [Remark],
  migrations,
  tools: [remarksAdd, remarksList],
})
