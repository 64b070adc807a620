/**
 * What tables are made of: `import { … } from 'tasuki/entities'`. Apart from `tasuki/plugin`, because it brings the ORM along:
 * import it in entities and migrations alone, which the host loads when it needs them.
 */
export { defineEntity, p, quote } from '@mikro-orm/core'
export { Migration } from '@mikro-orm/migrations'
export { belongsTo } from './belongs-to.ts'
export { defineTable, indexOn, named, ownedKey, timestamps, uniqueOn } from './define-table.ts'
export type { TablesOf } from './tables.ts'
