import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table templates.templates (
    owner_id uuid not null, item_id uuid not null, rule text not null, timezone text not null,
    dtstart text not null, starts_after timestamptz, ends_at timestamptz, strategy text not null,
    enabled boolean not null default true, next_at timestamptz, due_at timestamptz, failures int not null default 0,
    last_occurrence timestamptz, last_item_id uuid, skipped int not null default 0, primary key (owner_id, item_id),
    constraint templates_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint templates_strategy_check
      check (strategy in ('always', 'skip_if_previous_open', 'supersede_previous'))
  );
  create index templates_due on templates.templates (due_at) where enabled = true;

  create table templates.instances (
    owner_id uuid not null, item_id uuid not null, template_id uuid not null, occurrence timestamptz,
    primary key (owner_id, item_id),
    constraint instances_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint instances_owner_id_template_id_foreign foreign key (owner_id, template_id)
      references templates.templates (owner_id, item_id) on delete cascade
  );
  alter table templates.instances add constraint instances_once unique (owner_id, template_id, occurrence);
`)
