import { defineCommand, requireUser, sql, ToolError, Type } from 'tasuki/plugin'
import { readKey } from '../projects/index.ts'
import { readKinds, setKinds } from './kinds.ts'

export const projectKinds = defineCommand({
  name: 'project kinds',
  summary: 'Show or replace the custom item kinds of a project.',
  args: Type.Object({
    key: Type.String({ minLength: 1, maxLength: 300, description: 'Key of the project.' }),
    set: Type.Optional(Type.String({ description: 'Kinds, joined by commas; empty removes all.' })),
    user: Type.Optional(
      Type.String({ description: 'E-mail address of the owner; may be left out while there is one user.' }),
    ),
  }),
  positional: ['key'],
  reads: ({ set }) => set === undefined,
  async run(ctx, { key, set, user }) {
    const owner = await requireUser(ctx, user)
    const { rows: projects } = await sql<{ id: string }>`
      select p.id from projects.projects p where p.owner_id = ${owner.id} and p.key = ${readKey(key).key}
    `.execute(ctx.db)
    const projectId = projects[0]?.id
    if (projectId === undefined) {
      throw new ToolError('not_found', `${owner.email} has no project ${key}.`, {
        field: 'key',
        hint: 'tasuki project list shows projects.',
      })
    }
    if (set !== undefined) await setKinds(ctx, { ownerId: owner.id, id: projectId }, set, 'set')
    const kinds = await readKinds(ctx, { ownerId: owner.id, id: projectId })
    return { rows: kinds.map(kind => ({ kind })) }
  },
})
