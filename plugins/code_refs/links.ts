import { randomBytes } from 'node:crypto'
import { isFull, limitReached, quoteName, ToolError, uuid, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { repositoryLinked, repositoryUnlinked } from './audit.ts'
import { deleteLink, insertLink } from './link.repository.ts'
import { seal } from './secret.ts'
import { settings } from './settings.ts'

export const HOSTS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const
export type HostName = (typeof HOSTS)[number]

/** Links a project to a repository; its secret is shown only once. @throws ToolError invalid_argument, conflict, limit_exceeded */
export async function linkRepository(
  ctx: WriteContext,
  project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>,
  host: HostName,
  repository: string,
) {
  if (!/.\/./.test(repository))
    throw new ToolError('invalid_argument', `${quoteName(repository)} is not the owner and name of a repository.`, {
      field: 'repository',
      hint: 'Write both, for example acme/shop.',
    })
  const secret = randomBytes(24).toString('base64url')
  const id = uuid()
  const { links_per_user: most } = ctx.config(settings)
  const link = {
    owner_id: project.ownerId,
    id,
    project_id: project.id,
    host,
    repository,
    secret: seal(ctx.deployment, secret),
  }
  const inserted = await insertLink(ctx, link, most)
  if (!inserted && (await isFull(ctx.db, 'code_refs.links', project.ownerId, most)))
    throw limitReached(most, 'links', {
      field: 'repository',
      hint: 'Unlink a repository first, or ask the operator for a higher links_per_user.',
    })
  if (!inserted)
    throw new ToolError('conflict', `${project.key} is linked to ${repository} already.`, {
      field: 'repository',
      hint: 'Unlink it first to get a new secret.',
    })
  const { ownerId: userId } = project
  const details = { project: project.key, host }
  ctx.audit({ action: repositoryLinked, userId, target: { kind: 'repository', id, name: repository }, details })
  return { id, url: `${ctx.deployment.baseUrl()}/hooks/${host}/${id}`, secret }
}

/** Deletes a link and its references. @returns false if there is no such link */
export async function unlinkRepository(ctx: WriteContext, ownerId: string, id: string): Promise<boolean> {
  const link = await deleteLink(ctx, ownerId, id)
  if (!link) return false
  const { host, repository: name } = link
  ctx.audit({
    action: repositoryUnlinked,
    userId: ownerId,
    target: { kind: 'repository', id, name },
    details: { host },
  })
  return true
}
