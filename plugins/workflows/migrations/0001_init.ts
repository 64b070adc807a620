import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table workflows.workflows (
    owner_id uuid not null, id uuid not null, name text not null, name_key text not null,
    is_system boolean not null default false, enforce_transitions boolean not null default false,
    created_at timestamptz not null, updated_at timestamptz not null, primary key (owner_id, id)
  );
  create unique index workflows_one_system on workflows.workflows (owner_id) where (is_system);
  alter table workflows.workflows add constraint workflows_name_unique unique (owner_id, name_key);

  create table workflows.project_workflows (
    owner_id uuid not null, project_id uuid not null, workflow_id uuid not null,
    primary key (owner_id, project_id),
    constraint project_workflows_owner_id_project_id_foreign
      foreign key (owner_id, project_id) references projects.projects (owner_id, id) on delete cascade,
    constraint project_workflows_owner_id_workflow_id_foreign
      foreign key (owner_id, workflow_id) references workflows.workflows (owner_id, id) on delete cascade
  );
  create index project_workflows_workflow on workflows.project_workflows (owner_id, workflow_id);

  create table workflows.states (
    owner_id uuid not null, id uuid not null, workflow_id uuid not null, name text not null, name_key text not null,
    description text, system_status text not null, category text not null, status_attribute text not null,
    color_hex text, is_default boolean not null default false, display_order int not null, archived_at timestamptz,
    primary key (owner_id, id),
    constraint states_owner_id_workflow_id_foreign foreign key (owner_id, workflow_id)
      references workflows.workflows (owner_id, id) on delete cascade,
    constraint states_system_status_check check (system_status in ('open', 'closed')),
    constraint states_category_check check (category in ('todo', 'in_progress', 'review', 'done')),
    constraint states_status_attribute_check
      check (status_attribute in ('pending', 'done', 'duplicate', 'wontfix'))
  );
  create index states_workflow on workflows.states (owner_id, workflow_id, display_order);
  create unique index states_one_default on workflows.states (owner_id, workflow_id)
    where (is_default and archived_at is null);
  create unique index states_name_unique on workflows.states (owner_id, workflow_id, name_key)
    where (archived_at is null);

  create table workflows.transitions (
    owner_id uuid not null, id uuid not null, workflow_id uuid not null, from_state_id uuid,
    to_state_id uuid not null, kind text not null, is_default_next boolean not null default false,
    primary key (owner_id, id),
    constraint transitions_owner_id_workflow_id_foreign foreign key (owner_id, workflow_id)
      references workflows.workflows (owner_id, id) on delete cascade,
    constraint transitions_owner_id_from_state_id_foreign foreign key (owner_id, from_state_id)
      references workflows.states (owner_id, id) on delete cascade,
    constraint transitions_owner_id_to_state_id_foreign foreign key (owner_id, to_state_id)
      references workflows.states (owner_id, id) on delete cascade,
    constraint transitions_kind_check check (kind in ('next', 'cancel', 'manual', 'reopen'))
  );
  create index transitions_to on workflows.transitions (owner_id, to_state_id);
  create index transitions_from on workflows.transitions (owner_id, from_state_id);
  create unique index transitions_pair_unique
    on workflows.transitions (owner_id, workflow_id, from_state_id, to_state_id) nulls not distinct;
  create unique index transitions_one_default_next
    on workflows.transitions (owner_id, workflow_id, from_state_id) nulls not distinct where (is_default_next);
`)
