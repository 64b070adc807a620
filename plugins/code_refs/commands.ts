import { choice, defineCommand, ToolError, Type } from 'tasuki/plugin'
import { defineListCommand, ownerOption, requireProjectOf } from '../projects/index.ts'
import { readLinksOfOwner } from './link.repository.ts'
import { HOSTS, linkRepository, unlinkRepository } from './links.ts'

export const codeLink = defineCommand({
  name: 'code link',
  summary: 'Link a project to a repository; prints the webhook address and its secret, once.',
  args: Type.Object({
    project_key: Type.String({ minLength: 1, maxLength: 16, description: 'Key of the project.' }),
    host: choice(HOSTS, { description: 'Kind of code host.' }),
    repository: Type.String({ minLength: 1, maxLength: 200, description: 'For example owner/name.' }),
    user: ownerOption,
  }),
  positional: ['project_key', 'host', 'repository'],
  async run(ctx, { project_key: key, host, repository, user }) {
    const owner = await ctx.users.require(user)
    const project = await requireProjectOf(ctx, owner, key)
    return { rows: [{ ...(await linkRepository(ctx, project, host, repository)) }] }
  },
})

export const codeList = defineListCommand(
  'code list',
  'List links between projects and repositories.',
  async (ctx, user) => readLinksOfOwner(ctx, (await ctx.users.require(user)).id),
)

export const codeUnlink = defineCommand({
  name: 'code unlink',
  summary: 'Remove a link and the references that came through it.',
  args: Type.Object({ id: Type.String({ description: 'Its id, from code list.' }), user: ownerOption }),
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
