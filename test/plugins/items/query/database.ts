import { PGlite } from '@electric-sql/pglite'
import type { Condition, ReadContext } from 'tasuki/plugin'
import { compileFragment } from '../../../../core/plugin/sql.ts'
import type { FilterContext } from '../../../../plugins/items/query/filter.ts'

const OWNER = '00000000-0000-7000-8000-000000000001'
const STRANGER = '00000000-0000-7000-8000-000000000002'

/** Friday in Tokyo, still Thursday in UTC. */
const now = new Date('2026-11-19T16:30:00Z')
const timeZone = 'Asia/Tokyo'
export const filterContext: FilterContext = {
  // A user without shared projects, for `visible`.
  ctx: {
    actor: { userId: OWNER, projects: null },
    now,
    claim: () => ({ shared: [], timeZone }),
  } as unknown as ReadContext,
  today: '2026-11-20',
  weekStart: 1,
  timeZone,
  now,
}

export interface SampleItem {
  readonly number: number
  readonly title?: string
  readonly detail?: string
  readonly type?: string
  readonly due?: string
  readonly dueTime?: string
  readonly start?: string
  readonly priority?: number
  readonly kind?: string
  readonly parent?: number
  readonly project?: 'APP' | 'INBOX'
  readonly state?: 'To do' | 'In review' | 'Ｄｏｎｅ'
  readonly completed?: string
  readonly archived?: string
  readonly created?: string
}

/** Opens a database with the tables that filters read, and a query over them. */
export async function itemsDatabase(items: readonly SampleItem[]) {
  const db = await PGlite.create()
  await db.exec(`
    create schema projects; create schema workflows; create schema items;
    create table projects.projects (owner_id uuid, id uuid, key text, name text, primary key (owner_id, id));
    create table workflows.states (owner_id uuid, id uuid, name text, system_status text, category text, primary key (owner_id, id));
    create table items.items (owner_id uuid, id uuid, project_id uuid, number int, type text, title text, detail text,
      due_date date, due_time text, start_date date, priority smallint, kind text, parent_id uuid, state_id uuid,
      completed_at timestamptz, archived_at timestamptz, created_at timestamptz, updated_at timestamptz,
      last_activity_at timestamptz, former_keys jsonb, primary key (owner_id, id));`)
  const id = (kind: number, n: number): string => `00000000-0000-7000-${8000 + kind}-${String(n).padStart(12, '0')}`
  for (const owner of [OWNER, STRANGER]) {
    await db.query(
      `insert into projects.projects values ($1, $2, 'APP', 'Website relaunch'), ($1, $3, 'INBOX', 'Inbox')`,
      [owner, id(1, 1), id(1, 2)],
    )
    await db.query(
      `insert into workflows.states values ($1, $2, 'To do', 'open', 'todo'), ($1, $3, 'In review', 'open', 'review'), ($1, $4, 'Ｄｏｎｅ', 'closed', 'done')`,
      [owner, id(2, 1), id(2, 2), id(2, 3)],
    )
  }
  const states = { 'To do': id(2, 1), 'In review': id(2, 2), Ｄｏｎｅ: id(2, 3) }
  for (const item of items) {
    const created = item.created ?? '2026-01-01T00:00:00Z'
    await db.query(
      `insert into items.items values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$17,$17)`,
      [
        OWNER,
        id(3, item.number),
        item.project === 'INBOX' ? id(1, 2) : id(1, 1),
        item.number,
        item.type ?? 'task',
        item.title ?? '',
        item.detail ?? null,
        item.due ?? null,
        item.dueTime ?? null,
        item.start ?? null,
        item.priority ?? null,
        item.kind ?? null,
        item.parent === undefined ? null : id(3, item.parent),
        states[item.state ?? 'To do'],
        item.completed ?? null,
        item.archived ?? null,
        created,
      ],
    )
  }
  return {
    /** Returns the numbers of the items that meet the condition. */
    async numbers(where: Condition | null): Promise<number[]> {
      const condition = where ? compileFragment(where) : { sql: 'true', parameters: [] }
      const { rows } = await db.query<{ number: number }>(
        `select i.number from items.items i
          join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
          join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id
          where ${condition.sql} order by 1`,
        [...condition.parameters],
      )
      return rows.map(row => row.number)
    },
    close: () => db.close(),
  }
}
