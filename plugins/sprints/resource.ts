import { argumentValues, contains, nameKey, sql, type RawBuilder, type ReadContext, type Resource } from 'tasuki/plugin'
import { itemsKey, pathKey } from '../items/index.ts'
import { featureColumn, keyColumn, keyIs, keyIsOwn, readKey, settingChanges, visible } from '../projects/index.ts'
import { sprints } from './placement.repository.ts'
import { sprintRecord, sprintSource } from './sprint-record.repository.ts'

const { ancestors, path: pathOf, pathKey: pathKeyOf } = sprints.sql
const MIME = 'application/json'
const ACTIVE = 20
const MOST_VALUES = 100

/** A sprint as sprints_list returns it. */
export const sprintResource: Resource = {
  name: 'sprint',
  title: 'Sprint',
  description:
    'A sprint as JSON: goal, dates, counts, remaining estimate. sprint is its path or id; a / in a path is %2F.',
  mimeType: MIME,
  uriTemplate: 'tasuki://sprint/{project}/{sprint}',
  tools: ['sprints_list'],
  async read(ctx, uri, address) {
    const [found] = await findSprints<{ sprint: object }>(ctx, [address], sql`${sprintRecord(ctx)} as sprint`)
    return found ? [{ uri, mimeType: MIME, text: JSON.stringify(found.sprint) }] : null
  },
  async watch(ctx, addresses) {
    const columns = sql`sp.id, sp.project_id as "projectId", md5(${sprintRecord(ctx)}::text) as version`
    const found = await findSprints<{ id: string; projectId: string; version: string }>(ctx, addresses, columns)
    // What a sprint holds is counted: any item of its project may be in it.
    return found.map(
      sprint => sprint && { keys: [sprintRecordKey(sprint.id), itemsKey(sprint.projectId)], version: sprint.version },
    )
  },
  /** The active ones. */
  async list(ctx) {
    const { rows } = await sql<{ key: string; path: string }>`
      select ${keyColumn(ctx, 'p')} as key, ${pathOf} as path from ${plainSource}
      where ${seen(ctx)} and sp.status = 'active' and p.archived_at is null
      order by p.owner_id <> ${ctx.actor.userId}, p.key, sp.end_date, sp.id limit ${sql.lit(ACTIVE)}
    `.execute(ctx.db)
    return rows.map(({ key, path }) => ({
      uri: `tasuki://sprint/${encodeURIComponent(key)}/${encodeURIComponent(path)}`,
      name: `${key} ${path}`,
      title: path,
    }))
  },
}

/** Sprints `sp` with their projects `p`, without what `sprintRecord` counts. */
const plainSource = sql`sprints.sprints sp
  join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id ${ancestors}`

const seen = (ctx: ReadContext): RawBuilder<boolean> => sql`${visible(ctx, 'sp')} and ${featureColumn(ctx, 'sprints')}`

/** Finds the sprints at some addresses, in one statement, in their order; a bare key means the caller's own project where there is one. */
async function findSprints<T>(
  ctx: ReadContext,
  addresses: readonly Readonly<Record<string, string>>[],
  columns: RawBuilder<unknown>,
): Promise<(T | null)[]> {
  const wanted = addresses.map(({ project, sprint }, place) => {
    const { key, owner } = readKey(project!)
    const own = owner === null && keyIsOwn(ctx, key)
    return { place, key, owner, own, path: pathKey(sprint!), word: nameKey(sprint!) }
  })
  const { rows } = await sql<T & { place: number }>`
    select w.place, ${columns}
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w (place int, key text, owner text, own boolean, path text, word text)
    cross join ${sprintSource(ctx)}
    where ${seen(ctx)} and p.key = w.key and (${pathKeyOf} = w.path or sp.id::text = w.word)
      and (w.owner is null or p.owner_id = (select id from core.users where email = w.owner))
      and (not w.own or p.owner_id = ${ctx.actor.userId})
  `.execute(ctx.db)
  return wanted.map(({ place }) => {
    const [found, other] = rows.filter(row => row.place === place)
    return found && !other ? found : null
  })
}

/** What changes of a sprint are told under. */
const sprintRecordKey = (id: string): string => `sprint/${id}`

/** Tells clients that listen of changed sprints. */
export const tellSprints = settingChanges(async (ctx, changes) => {
  const ids = changes.flatMap(({ kind, from, to }) =>
    kind.startsWith('sprint.') ? [((to ?? from) as { id: string }).id] : [],
  )
  ctx.recordsChanged(ids.map(sprintRecordKey))
})

export const sprintValues = argumentValues({
  argument: 'sprint',
  async complete(ctx, value, { project }) {
    const ofProject = project === undefined ? sql`` : sql`and ${keyIs(ctx, project)}`
    const place = sql`array_position(array['active', 'planning', 'closed'], sp.status)`
    const { rows } = await sql<{ path: string }>`
      select ${pathOf} as path from ${plainSource}
      where ${seen(ctx)} ${ofProject} and ${pathKeyOf} like ${contains(pathKey(value))}
      order by ${place}, sp.closed_at desc, sp.start_date, sp.id limit ${sql.lit(MOST_VALUES)}
    `.execute(ctx.db)
    return [...new Set(rows.map(({ path }) => path))]
  },
})
