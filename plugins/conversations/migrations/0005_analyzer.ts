import { defineMigration } from 'tasuki/entities'

/** Records which analyzer indexed a text. */
export const migration = defineMigration(`
  alter table conversations.threads add column analyzer smallint not null default 1;
  create index threads_analyzer on conversations.threads (analyzer, owner_id);
  alter table conversations.messages add column analyzer smallint not null default 1;
  create index messages_analyzer on conversations.messages (analyzer, owner_id);
`)
