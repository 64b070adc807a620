import { defineMigration } from 'tasuki/entities'

export const migration = defineMigration(`
  create table reminders.reminders (
    owner_id uuid not null, id uuid not null, item_id uuid not null, user_id uuid not null, lead_time_minutes int,
    remind_at timestamptz, status text not null default 'pending', sent_at timestamptz,
    created_at timestamptz not null, primary key (owner_id, id),
    constraint reminders_owner_id_item_id_foreign foreign key (owner_id, item_id)
      references items.items (owner_id, id) on delete cascade,
    constraint reminders_status_check check (status in ('pending', 'sent', 'dismissed'))
  );
  create index reminders_item on reminders.reminders (owner_id, item_id);
  create index reminders_due on reminders.reminders (remind_at) where status = 'pending';
`)
