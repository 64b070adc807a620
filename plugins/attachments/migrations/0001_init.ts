import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table attachments.attachments (
    owner_id uuid not null, id uuid not null, project_id uuid, item_id uuid, parent_kind text not null,
    parent_id uuid not null, filename text not null, mime_type text not null, size int not null,
    state text not null, expires_at timestamptz, created_by uuid not null, uploader jsonb not null,
    created_at timestamptz not null, primary key (owner_id, id),
    constraint attachments_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint attachments_state_check check (state in ('pending', 'receiving', 'stored'))
  );
  create index attachments_parent on attachments.attachments (owner_id, parent_id, id);
  create index attachments_item on attachments.attachments (owner_id, item_id);
  create index attachments_expires on attachments.attachments (owner_id, expires_at) where expires_at is not null;
`)
