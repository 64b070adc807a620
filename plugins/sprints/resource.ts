import { argumentValues, contains, sql, type RawBuilder, type ReadContext, type Resource } from 'tasuki/plugin'
import { featureColumn, readKey, visible } from '../projects/index.ts'
import { pathKey, sprintKey } from './names.ts'
import { above, pathKeyOf, pathOf } from './rows.ts'
import { sprintRecord, sprintSource, type SprintRecord } from './sprint.ts'

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
  async read(ctx, uri, { project, sprint }) {
    const found = await findSprint(ctx, project!, sprint!)
    return found && [{ uri, mimeType: MIME, text: JSON.stringify(found) }]
  },
  /** The active ones. */
  async list(ctx) {
    const { rows } = await sql<{ key: string; path: string }>`
      select p.key, ${pathOf} as path from ${plainSource}
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
  join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id ${above}`

const seen = (ctx: ReadContext): RawBuilder<boolean> => sql`${visible(ctx, 'sp')} and ${featureColumn(ctx, 'sprints')}`

/** Finds a sprint by the key of its project and its path or id; the caller's own project wins a key that several have. */
async function findSprint(ctx: ReadContext, project: string, sprint: string): Promise<SprintRecord | null> {
  const { key, owner } = readKey(project)
  const ofOwner = owner === null ? sql`` : sql`and p.owner_id = (select id from core.users where email = ${owner})`
  const { rows } = await sql<{ sprint: SprintRecord; own: boolean }>`
    select ${sprintRecord} as sprint, p.owner_id = ${ctx.actor.userId} as own from ${sprintSource(ctx)}
    where ${seen(ctx)} and p.key = ${key} ${ofOwner} and (${pathKeyOf} = ${pathKey(sprint)} or sp.id::text = ${sprintKey(sprint)})
    order by own desc limit 2
  `.execute(ctx.db)
  const [found, other] = rows
  return found && (found.own || !other) ? found.sprint : null
}

export const sprintValues = argumentValues({
  argument: 'sprint',
  async complete(ctx, value, { project }) {
    const ofProject = project === undefined ? sql`` : sql`and p.key = ${readKey(project).key}`
    const place = sql`array_position(array['active', 'planning', 'closed'], sp.status)`
    const { rows } = await sql<{ path: string }>`
      select ${pathOf} as path from ${plainSource}
      where ${seen(ctx)} ${ofProject} and ${pathKeyOf} like ${contains(pathKey(value))}
      order by ${place}, sp.closed_at desc, sp.start_date, sp.id limit ${sql.lit(MOST_VALUES)}
    `.execute(ctx.db)
    return [...new Set(rows.map(({ path }) => path))]
  },
})
