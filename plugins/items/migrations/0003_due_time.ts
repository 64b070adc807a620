import { defineMigration } from 'tasuki/entities'

// Lists that sort by due date sort the items of a day by their times.
export const migration = defineMigration(`
  drop index items.items_due;
  drop index items.items_project_due;
  create index items_due on items.items (owner_id, type, due_date, due_time nulls first, number)
    where archived_at is null;
  create index items_project_due on items.items (owner_id, project_id, type, due_date, due_time nulls first, number)
    where archived_at is null;
`)
