import { defineMigration } from '../../plugin/define-migration.ts'

export const migration = defineMigration(`
  -- The deletion of a user sets tasuki.audit_erasure in its transaction; even that can change only the columns that identify
  -- a person.
  create or replace function core.keep_audit() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and current_setting('tasuki.audit_retention', true) = 'on' and old.at < now() - interval '1 day' then
          return old;
        end if;
        if tg_op = 'UPDATE' and current_setting('tasuki.audit_erasure', true) = 'on'
          and to_jsonb(new) - array['credential', 'address', 'target', 'details'] = to_jsonb(old) - array['credential', 'address', 'target', 'details']
          and (new.credential is null or new.credential = old.credential) and (new.address is null or new.address = old.address)
          and (new.target is null or new.target = old.target) and (new.details = '{}' or new.details = old.details) then
          return new;
        end if;
        raise exception 'the audit trail is append-only' using errcode = 'insufficient_privilege';
      end $$;
`)
