/**
 * Functions that define tables: `import { … } from 'tasuki/entities'`. Separate from `tasuki/plugin`, because it imports the ORM: use it
 * only in entities and migrations, which the host loads on demand.
 */
export { defineEntity, p, quote } from '@mikro-orm/core'
export { Migration } from '@mikro-orm/migrations'
export { belongsTo } from './belongs-to.ts'
export { defineMigration } from './define-migration.ts'
export { defineTable, indexOn, named, ownedKey, timestamps, uniqueOn } from './define-table.ts'
export type { TablesOf } from './tables.ts'
