import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { seededRandom, type SeededRandom } from '../random.ts'
import { pick, sentence } from './texts.ts'

export const TASKS = 10_000
export const KEYS = ['APP', 'WEB'] as const
const LABELS = [
  'bug',
  'docs',
  'infra',
  'ui',
  'api',
  'security',
  'research',
  '経理',
  '採用',
  'billing',
  'search',
  'auth',
]
const AREAS = ['Backend', 'Frontend', 'Platform', '運用']
const CHUNK = 1000

interface Project {
  readonly id: string
  readonly key: string
}

/**
 * Fills two projects of the owner with tasks in English and Japanese, with labels, areas, dates and parents. The data is the same in every
 * run.
 */
export async function fill(url: string, ownerId: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: projects } = await client.query<Project>(
      'select id, key from projects.projects where owner_id = $1 and key = any($2) order by key',
      [ownerId, KEYS],
    )
    const { rows: states } = await client.query<{ id: string; system_status: 'open' | 'closed' }>(
      'select id, system_status from workflows.states where owner_id = $1',
      [ownerId],
    )
    const random = seededRandom(42)
    const labels = projects.flatMap(project => LABELS.map((name, n) => definition(ownerId, project, name, n)))
    const areas = projects.flatMap(project => AREAS.map((name, n) => definition(ownerId, project, name, n)))
    await insert(client, 'labels.labels', labels)
    await insert(client, 'areas.areas', areas)
    const items = Array.from({ length: TASKS }, (_, n) =>
      task(random, { ownerId, number: n + 1, project: pick(random, projects), state: pick(random, states) }),
    )
    // Parents precede their children in the table, so that every chunk finds its parents.
    for (const [n, item] of items.entries())
      if (n >= CHUNK && random() < 0.2) item['parent_id'] = pick(random, items.slice(0, CHUNK))['id']
    await insert(client, 'items.items', items)
    const inProject = <T extends { project_id: unknown }>(list: readonly T[], item: Row): readonly T[] =>
      list.filter(each => each.project_id === item['project_id'])
    await insert(
      client,
      'labels.item_labels',
      items.flatMap(item =>
        [
          ...new Set(Array.from({ length: Math.floor(random() * 4) }, () => pick(random, inProject(labels, item)).id)),
        ].map(label_id => ({ owner_id: ownerId, item_id: item['id'], label_id })),
      ),
    )
    await insert(
      client,
      'areas.item_areas',
      items.flatMap(item =>
        random() < 0.5
          ? [{ owner_id: ownerId, item_id: item['id'], area_id: pick(random, inProject(areas, item)).id }]
          : [],
      ),
    )
    await client.query(
      `insert into items.counters (owner_id, next_number) values ($1, $2)
       on conflict (owner_id) do update set next_number = excluded.next_number`,
      [ownerId, TASKS + 1],
    )
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

type Row = Record<string, unknown>
const START = Date.UTC(2026, 0, 1)
const DAY = 86_400_000

function definition(owner_id: string, project: Project, name: string, n: number) {
  const at = new Date(START).toISOString()
  const key = name.toLowerCase()
  return {
    owner_id,
    id: randomUUID(),
    project_id: project.id,
    name,
    name_key: key,
    display_order: n + 1,
    created_at: at,
    updated_at: at,
  }
}

function task(
  random: SeededRandom,
  context: { ownerId: string; number: number; project: Project; state: { id: string; system_status: string } },
): Row {
  const { ownerId, number, project, state } = context
  const day = (): string => new Date(START + Math.floor(random() * 600) * DAY).toISOString().slice(0, 10)
  const created = new Date(START + number * 60_000).toISOString()
  const due = random() < 0.7 ? day() : null
  return {
    owner_id: ownerId,
    id: randomUUID(),
    number,
    project_id: project.id,
    state_id: state.id,
    parent_id: null,
    type: 'task',
    title: sentence(random, 3 + Math.floor(random() * 5)),
    detail: Array.from({ length: Math.floor(random() * 6) }, () => sentence(random, 14)).join('\n'),
    due_date: due,
    due_time: due && random() < 0.3 ? '09:30' : null,
    start_date: random() < 0.2 ? day() : null,
    priority: random() < 0.5 ? 1 + Math.floor(random() * 4) : null,
    kind: 'task',
    archived_at: random() < 0.05 ? created : null,
    completed_at: state.system_status === 'closed' ? created : null,
    created_at: created,
    updated_at: created,
    last_activity_at: created,
  }
}

async function insert(client: Client, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  for (let from = 0; from < rows.length; from += CHUNK) {
    await client.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
      [JSON.stringify(rows.slice(from, from + CHUNK))],
    )
  }
}
