import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table "projects"."invitations" add "invited_as" text null;
`)
