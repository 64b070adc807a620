import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table reminders.reminders add recurrence jsonb;
`)
