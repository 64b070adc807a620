import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table templates.templates add makes text not null default 'task';
  alter table templates.templates add constraint templates_makes_check check (makes in ('task', 'event'));
`)
