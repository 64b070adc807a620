import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table workspace.notifications (
    owner_id uuid not null, id uuid not null, kind text not null, title text not null, body text,
    item_owner_id uuid, item_id uuid, data jsonb, created_at timestamptz not null, read_at timestamptz,
    primary key (owner_id, id)
  );
  create index notifications_unread on workspace.notifications (owner_id, id) where read_at is null;

  create table workspace.settings (
    owner_id uuid not null, key text not null, value jsonb not null, updated_at timestamptz not null,
    primary key (owner_id, key)
  );

  create table workspace.activities (
    owner_id uuid not null, id uuid not null, item_id uuid not null, project_id uuid not null, kind text not null,
    from_value jsonb, to_value jsonb, reason text, actor_kind text not null, actor_user_id uuid not null,
    client text, credential_label text, call text not null, created_at timestamptz not null,
    primary key (owner_id, id),
    constraint activities_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint activities_actor_kind_check check (actor_kind in ('human', 'assistant', 'agent', 'system'))
  );
  create index activities_item on workspace.activities (owner_id, item_id, id);
  create index activities_project on workspace.activities (owner_id, project_id, id);
`)
