import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table discussions.discussions add column author_name text;
`)
