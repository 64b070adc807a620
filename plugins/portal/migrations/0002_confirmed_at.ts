import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table portal.sessions add column confirmed_at timestamptz;
`)
