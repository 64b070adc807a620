import { defineMigration } from 'tasuki/entities'

/** Payloads may be repeated in any order, so processed deliveries need not be recorded. */
export const migration = defineMigration(`
  drop table code_refs.deliveries;
  alter table code_refs.links add column repository_id text;
  alter table code_refs.links drop constraint links_host_check;
  alter table code_refs.links add constraint links_host_check
    check (host in ('github', 'gitlab', 'gitea', 'bitbucket'));

  create table code_refs.urls (
    owner_id uuid not null, item_id uuid not null, url text not null, title text, created_at timestamptz not null,
    primary key (owner_id, item_id, url),
    constraint urls_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade
  );
`)
