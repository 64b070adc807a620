import { allOf, contains, nameKey, recordset, sql } from 'tasuki/plugin'
import type { AliasedExpression, Condition, Expression, ReadContext } from 'tasuki/plugin'
import { pathKey } from '../items/index.ts'
import { featureColumn, keyColumn, keyIs, keyIsOwn, readKey, visible } from '../projects/index.ts'
import { sprints } from './placement.repository.ts'
import { sprintRecord, sprintSource } from './sprint-record.repository.ts'

const { ancestors, path: pathOf, pathKey: pathKeyOf } = sprints.sql

/** Sprints `sp` with their projects `p`, without the joins for the counts of `sprintRecord`. */
const plainSource = sql`sprints.sprints sp
  join projects.projects p on p.owner_id = sp.owner_id and p.id = sp.project_id ${ancestors}`

const isSeen = (ctx: ReadContext): Condition => allOf([visible(ctx, 'sp'), featureColumn(ctx, 'sprints')])

type Address = Readonly<Record<string, string>>

/** Finds the sprints at addresses; null for none or more than one. */
export async function findRecords(
  ctx: ReadContext,
  addresses: readonly Address[],
): Promise<({ readonly sprint: object } | null)[]> {
  return findAtAddresses(ctx, addresses, sprintRecord(ctx).as('sprint'))
}

export interface SprintVersion {
  readonly id: string
  readonly projectId: string
  /** Changes whenever the record changes. */
  readonly version: string
}

export async function findVersions(ctx: ReadContext, addresses: readonly Address[]): Promise<(SprintVersion | null)[]> {
  const columns = sql`sp.id, sp.project_id as "projectId", md5(${sprintRecord(ctx)}::text) as version`
  return findAtAddresses(ctx, addresses, columns)
}

/** In one statement, in the order of the addresses; a bare key prefers the caller's own project. */
async function findAtAddresses<T>(
  ctx: ReadContext,
  addresses: readonly Address[],
  columns: Expression<unknown> | AliasedExpression<object, string>,
): Promise<(T | null)[]> {
  const wanted = addresses.map(({ project, sprint }, place) => {
    const { key, owner } = readKey(project!)
    const own = owner === null && keyIsOwn(ctx, key)
    return { place, key, owner, own, path: pathKey(sprint!), word: nameKey(sprint!) }
  })
  const types = { place: 'int', key: 'text', owner: 'text', own: 'boolean', path: 'text', word: 'text' } as const
  const { rows } = await sql<T & { place: number }>`
    select w.place, ${columns} from ${recordset('w', types, wanted)} cross join ${sprintSource(ctx)}
    where ${isSeen(ctx)} and p.key = w.key and (${pathKeyOf} = w.path or sp.id::text = w.word)
      and (w.owner is null or p.owner_id = (select id from core.users where email = w.owner))
      and (not w.own or p.owner_id = ${ctx.actor.userId})
  `.execute(ctx.db)
  return wanted.map(({ place }) => {
    const [found, other] = rows.filter(row => row.place === place)
    return found && !other ? found : null
  })
}

/** Reads the first active sprints, those of the caller's own projects first. */
export async function readActive(
  ctx: ReadContext,
  limit: number,
): Promise<readonly { readonly key: string; readonly path: string }[]> {
  const { rows } = await sql<{ key: string; path: string }>`
    select ${keyColumn(ctx, 'p')} as key, ${pathOf} as path from ${plainSource}
    where ${isSeen(ctx)} and sp.status = 'active' and p.archived_at is null
    order by p.owner_id <> ${ctx.actor.userId}, p.key, sp.end_date, sp.id limit ${sql.lit(limit)}
  `.execute(ctx.db)
  return rows
}

/** Reads paths that contain a text, in one project if its key is given: active sprints first, then planned and closed ones. */
export async function readMatchingPaths(
  ctx: ReadContext,
  text: string,
  project: string | undefined,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select ${pathOf} as path from ${plainSource}
    where ${isSeen(ctx)} and ${project === undefined ? sql.lit(true) : keyIs(ctx, project)} and ${pathKeyOf} like ${contains(pathKey(text))}
    order by array_position(array['active', 'planning', 'closed'], sp.status), sp.closed_at desc, sp.start_date, sp.id
    limit ${sql.lit(limit)}
  `.execute(ctx.db)
  return [...new Set(rows.map(({ path }) => path))]
}
