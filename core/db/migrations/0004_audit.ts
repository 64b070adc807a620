import { defineMigration } from '../../plugin/define-migration.ts'

export const migration = defineMigration(`
  create table core.audit (
    owner_id uuid not null, id uuid not null, at timestamptz not null, action text not null, outcome text not null,
    actor_id uuid, actor_kind text, credential_id uuid, credential text, client text, client_version text,
    address text, target_kind text, target_id text, target text, request_id text, times int not null default 1,
    details jsonb not null, primary key (owner_id, id),
    constraint audit_outcome_check check (outcome in ('ok', 'refused', 'failed')),
    constraint audit_actor_kind_check check (actor_kind in ('human', 'assistant', 'agent', 'system'))
  );
  create index audit_at on core.audit (at, id);
  create index audit_actor on core.audit (actor_id, id);

  alter table core.users add column is_administrator boolean not null default false;
  -- The oldest account belongs to the owner of the deployment.
  update core.users set is_administrator = true
    where id = (select id from core.users order by created_at, id limit 1);

  -- The retention job sets tasuki.audit_retention in its transaction; even that cannot delete entries of the last day.
  create function core.keep_audit() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and current_setting('tasuki.audit_retention', true) = 'on' and old.at < now() - interval '1 day' then
          return old;
        end if;
        raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
      end $$;
  create trigger audit_rows before update or delete on core.audit
    for each row execute function core.keep_audit();
  create trigger audit_table before truncate on core.audit
    for each statement execute function core.keep_audit();
`)
