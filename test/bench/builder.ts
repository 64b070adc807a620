import { DummyDriver, Kysely } from 'kysely'
import { expressions, sql, uuid, type Tables } from 'tasuki/plugin'
import { postgresDialect } from '../../core/db/dialect.ts'
import { median } from './load.ts'
import type { Figure } from './report.ts'

/** Limit of processor time that the builder may spend on a statement before it is sent (decision 0035). */
const MAX_MICROSECONDS = 30
const ROUNDS = 15
const STATEMENTS = 5000

const db = new Kysely<Tables>({ dialect: postgresDialect(() => new DummyDriver()) })
const [ownerId, id, projectId] = [uuid(), uuid(), uuid()]
const now = new Date()

interface Pair {
  readonly name: string
  builder(): unknown
  template(): unknown
}

const label = expressions<{ l: 'labels.labels' }>()

/** The same statements written with the builder and with a template; they are compiled but never sent. */
const PAIRS: readonly Pair[] = [
  {
    name: 'insert of eight columns, on conflict',
    builder: () =>
      db
        .insertInto('labels.labels')
        .values({
          owner_id: ownerId,
          id,
          project_id: projectId,
          name: 'Home',
          name_key: 'home',
          display_order: 1,
          created_at: now,
          updated_at: now,
        })
        .onConflict(conflict =>
          conflict
            .columns(['owner_id', 'project_id', 'name_key'])
            .doUpdateSet(({ ref }) => ({ name: ref('excluded.name') })),
        )
        .returning('id')
        .compile(),
    template: () =>
      sql`
        insert into labels.labels (owner_id, id, project_id, name, name_key, display_order, created_at, updated_at)
        values (${ownerId}, ${id}, ${projectId}, ${'Home'}, ${'home'}, ${1}, ${now}, ${now})
        on conflict (owner_id, project_id, name_key) do update set name = excluded.name
        returning id`.compile(db),
  },
  {
    name: 'update of three columns by key',
    builder: () =>
      db
        .updateTable('labels.labels')
        .set({ name: 'House', description: null, updated_at: now })
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .returning(['id', 'name'])
        .compile(),
    template: () =>
      sql`
        update labels.labels set name = ${'House'}, description = ${null}, updated_at = ${now}
        where owner_id = ${ownerId} and id = ${id} returning id, name`.compile(db),
  },
  {
    name: 'select of two tables',
    builder: () =>
      db
        .selectFrom('labels.item_labels as il')
        .innerJoin('labels.labels as l', join =>
          join.onRef('l.owner_id', '=', 'il.owner_id').onRef('l.id', '=', 'il.label_id'),
        )
        .select(['il.item_id', 'l.id', 'l.name'])
        .where('il.owner_id', '=', ownerId)
        .where('il.item_id', '=', id)
        .orderBy('l.display_order')
        .orderBy('l.id')
        .compile(),
    template: () =>
      sql`
        select il.item_id, l.id, l.name from labels.item_labels il
        join labels.labels l on l.owner_id = il.owner_id and l.id = il.label_id
        where il.owner_id = ${ownerId} and il.item_id = ${id} order by l.display_order, l.id`.compile(db),
  },
  {
    name: 'three conditions within a template',
    builder: () =>
      sql`
        select l.id, l.name from labels.labels l
        where ${label.and({ 'l.owner_id': ownerId, 'l.project_id': projectId })} and ${label('l.name', '=', 'Home')}`.compile(
        db,
      ),
    template: () =>
      sql`
        select l.id, l.name from labels.labels l
        where l.owner_id = ${ownerId} and l.project_id = ${projectId} and l.name = ${'Home'}`.compile(db),
  },
]

/** Measures the processor time that Kysely's builder spends on a statement, compared with a template whose compiled text is cached. */
export function measureBuilder(): Figure[] {
  return PAIRS.map(({ name, builder, template }) => {
    const rounds = Array.from({ length: ROUNDS }, () => [microseconds(builder), microseconds(template)] as const)
    // The first rounds run code that V8 has not optimized yet.
    const settled = rounds.slice(Math.floor(ROUNDS / 3))
    const [ours, theirs] = [median(settled.map(([one]) => one)), median(settled.map(([, other]) => other))]
    return {
      name: `${name}: by builder, against a template`,
      unit: 'µs',
      ours,
      theirs,
      ratio: null,
      target: { atMost: MAX_MICROSECONDS },
    }
  })
}

/** Measures one statement. User CPU time excludes the time of other processes. */
function microseconds(make: () => unknown): number {
  const before = process.cpuUsage()
  for (let n = 0; n < STATEMENTS; n++) make()
  return process.cpuUsage(before).user / STATEMENTS
}
