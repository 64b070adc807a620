import { randomBytes } from 'node:crypto'
import { iso, sql, ToolError, uuid, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { seal } from './secret.ts'

export const HOSTS = ['github', 'gitlab', 'gitea'] as const
export type HostName = (typeof HOSTS)[number]

export interface MadeLink {
  readonly id: string
  /** Where the host sends its webhooks. */
  readonly url: string
  /** Shown once. */
  readonly secret: string
}

/** Links a project to a repository. @throws ToolError conflict */
export async function linkRepository(
  ctx: WriteContext,
  project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>,
  host: HostName,
  repository: string,
): Promise<MadeLink> {
  const secret = randomBytes(24).toString('base64url')
  const { rows } = await sql<{ id: string }>`
    insert into code_refs.links (owner_id, id, project_id, host, repository, secret, created_at)
    values (${project.ownerId}, ${uuid()}, ${project.id}, ${host}, ${repository}, ${seal(ctx.deployment, secret)}, ${ctx.now})
    on conflict (owner_id, project_id, host, repository) do nothing returning id
  `.execute(ctx.db)
  const [made] = rows
  if (!made)
    throw new ToolError('conflict', `${project.key} is linked to ${repository} already.`, {
      field: 'repository',
      hint: 'Unlink it first to get a new secret.',
    })
  return { id: made.id, url: `${ctx.deployment.baseUrl()}/hooks/${host}/${made.id}`, secret }
}

/** Takes a link away, and the references that came through it. @returns false when there was none. */
export async function unlinkRepository(ctx: WriteContext, ownerId: string, id: string): Promise<boolean> {
  const { rows } =
    await sql`delete from code_refs.links where owner_id = ${ownerId} and id::text = ${id} returning id`.execute(ctx.db)
  return rows.length > 0
}

/** A link without its secret. */
export interface LinkRow {
  readonly id: string
  readonly host: HostName
  readonly repository: string
  readonly createdAt: string
}

/** Reads the repositories that a project is linked to. */
export async function readLinks(
  ctx: ReadContext,
  { ownerId, id }: Pick<ProjectRow, 'ownerId' | 'id'>,
): Promise<readonly LinkRow[]> {
  const { rows } = await sql<LinkRow>`
    select l.id, l.host, l.repository, ${iso('l.created_at')} as "createdAt" from code_refs.links l
    where l.owner_id = ${ownerId} and l.project_id = ${id} order by l.repository, l.host
  `.execute(ctx.db)
  return rows
}
