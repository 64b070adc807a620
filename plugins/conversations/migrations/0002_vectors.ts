import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  alter table conversations.threads add column code varbit, add column vector real[], add column model text;
  alter table conversations.messages
    add column title text,
    add column code varbit,
    add column vector real[],
    add column model text;
`)
