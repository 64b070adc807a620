import { defineMigration } from '../../plugin/define-migration.ts'

export const migration = defineMigration(`
  alter table core.users add column access_ended_at timestamptz;
`)
