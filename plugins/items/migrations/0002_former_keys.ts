import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table items.items add former_keys jsonb;
`)
