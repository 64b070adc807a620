import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table relations.relations (
    owner_id uuid not null, id uuid not null, source_id uuid not null, target_id uuid not null, type text not null,
    created_at timestamptz not null, primary key (owner_id, id),
    constraint relations_owner_id_source_id_foreign foreign key (owner_id, source_id)
      references items.items (owner_id, id) on delete cascade,
    constraint relations_owner_id_target_id_foreign foreign key (owner_id, target_id)
      references items.items (owner_id, id) on delete cascade,
    constraint relations_type_check
      check (type in ('reference', 'duplicate', 'generated_from', 'enriches', 'previous_instance'))
  );
  create index relations_target on relations.relations (owner_id, target_id);
  alter table relations.relations add constraint relations_unique unique (owner_id, source_id, target_id, type);
`)
