import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table workspace.activities alter column item_id drop not null, alter column project_id drop not null;
`)
