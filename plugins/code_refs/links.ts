import { randomBytes } from 'node:crypto'
import { ToolError, uuid, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { insertLink } from './link.repository.ts'
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
  const id = uuid()
  const inserted = await insertLink(ctx, {
    owner_id: project.ownerId,
    id,
    project_id: project.id,
    host,
    repository,
    secret: seal(ctx.deployment, secret),
    created_at: ctx.now,
  })
  if (!inserted)
    throw new ToolError('conflict', `${project.key} is linked to ${repository} already.`, {
      field: 'repository',
      hint: 'Unlink it first to get a new secret.',
    })
  return { id, url: `${ctx.deployment.baseUrl()}/hooks/${host}/${id}`, secret }
}
