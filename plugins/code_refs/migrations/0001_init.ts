import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table code_refs.links (
    owner_id uuid not null, id uuid not null, project_id uuid not null, host text not null,
    repository text not null, secret text not null, created_at timestamptz not null, primary key (owner_id, id),
    constraint links_owner_id_project_id_foreign foreign key (owner_id, project_id)
      references projects.projects (owner_id, id) on delete cascade,
    constraint links_host_check check (host in ('github', 'gitlab', 'gitea'))
  );
  alter table code_refs.links add constraint links_unique unique (owner_id, project_id, host, repository);

  create table code_refs.deliveries (
    owner_id uuid not null, link_id uuid not null, delivery text not null, received_at timestamptz not null,
    primary key (owner_id, link_id, delivery),
    constraint deliveries_owner_id_link_id_foreign foreign key (owner_id, link_id)
      references code_refs.links (owner_id, id) on delete cascade
  );
  create index deliveries_received on code_refs.deliveries (received_at);

  create table code_refs."references" (
    owner_id uuid not null, item_id uuid not null, link_id uuid not null, kind text not null,
    external_id text not null, title text not null, url text not null, author text, state text, branch text,
    occurred_at timestamptz not null, primary key (owner_id, item_id, link_id, kind, external_id),
    constraint references_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint references_owner_id_link_id_foreign foreign key (owner_id, link_id)
      references code_refs.links (owner_id, id) on delete cascade,
    constraint references_kind_check check (kind in ('commit', 'pull_request'))
  );
`)
