import { defineMigration } from 'tasuki/entities'

/** Every call adds a message; the checks and indexes per message cost more than the message itself. */
export const migration = defineMigration(`
  alter table conversations.messages drop constraint if exists messages_owner_id_thread_id_foreign;
  drop index if exists conversations.messages_old;
`)
