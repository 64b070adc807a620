import { choice, defineCommand, sql, ToolError, Type } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { HOSTS, linkRepository, unlinkRepository } from './links.ts'

const User = Type.Optional(
  Type.String({ description: 'E-mail address of the owner; may be left out while there is one user.' }),
)

export const codeLink = defineCommand({
  name: 'code link',
  summary: 'Link a project to a repository; prints the webhook address and its secret, once.',
  args: Type.Object({
    project_key: Type.String({ minLength: 1, maxLength: 16, description: 'Key of the project.' }),
    host: choice(HOSTS, { description: 'Kind of code host.' }),
    repository: Type.String({ minLength: 1, maxLength: 200, description: 'For example owner/name.' }),
    user: User,
  }),
  positional: ['project_key', 'host', 'repository'],
  async run(ctx, { project_key: key, host, repository, user }) {
    const owner = await ctx.users.require(user)
    const { rows } = await sql<Pick<ProjectRow, 'ownerId' | 'id' | 'key'>>`
      select owner_id as "ownerId", id, key from projects.projects where owner_id = ${owner.id} and key = ${key.toUpperCase()}
    `.execute(ctx.db)
    const [project] = rows
    if (!project)
      throw new ToolError('not_found', `There is no project ${key} of ${owner.email}.`, {
        field: 'project_key',
        hint: 'tasuki project list shows them.',
      })
    return { rows: [{ ...(await linkRepository(ctx, project, host, repository)) }] }
  },
})

export const codeList = defineCommand({
  name: 'code list',
  summary: 'List links between projects and repositories.',
  args: Type.Object({ user: User }),
  reads: true,
  async run(ctx, { user }) {
    const owner = await ctx.users.require(user)
    const { rows } = await sql<Record<string, unknown>>`
      select l.id, p.key as project, l.host, l.repository from code_refs.links l
      join projects.projects p on p.owner_id = l.owner_id and p.id = l.project_id where l.owner_id = ${owner.id} order by p.key, l.repository
    `.execute(ctx.db)
    return { rows }
  },
})

export const codeUnlink = defineCommand({
  name: 'code unlink',
  summary: 'Remove a link and the references that came through it.',
  args: Type.Object({ id: Type.String({ description: 'Its id, from code list.' }), user: User }),
  positional: ['id'],
  async run(ctx, { id, user }) {
    const owner = await ctx.users.require(user)
    if (await unlinkRepository(ctx, owner.id, id)) return { text: `Removed the link ${id}.` }
    throw new ToolError('not_found', `There is no link ${id} of ${owner.email}.`, {
      field: 'id',
      hint: 'tasuki code list shows them.',
    })
  },
})
