import { defineCommand, requireUser, sql, ToolError, Type } from 'tasuki/plugin'
import { readKey } from '../projects/index.ts'
import { BUILT_IN_KINDS, KIND_PATTERN } from './kinds.ts'

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
    if (set !== undefined) {
      const values = kindsIn(set).map((kind, n) => ({
        owner_id: owner.id,
        project_id: projectId,
        kind,
        display_order: n,
      }))
      await sql`delete from items.kinds where owner_id = ${owner.id} and project_id = ${projectId}`.execute(ctx.db)
      if (values.length > 0) await ctx.db.insertInto('items.kinds').values(values).execute()
    }
    const { rows } = await sql<{ kind: string }>`
      select kind from items.kinds where owner_id = ${owner.id} and project_id = ${projectId} order by display_order
    `.execute(ctx.db)
    return { rows }
  },
})

/** @throws ToolError invalid_argument */
function kindsIn(list: string): string[] {
  const kinds = list
    .split(',')
    .map(kind => kind.trim())
    .filter(kind => kind !== '')
  const wrong = kinds.find(kind => !KIND_PATTERN.test(kind) || (BUILT_IN_KINDS as readonly string[]).includes(kind))
  if (wrong === undefined) return [...new Set(kinds)]
  throw new ToolError('invalid_argument', `"${wrong}" cannot be a custom kind.`, {
    field: 'set',
    hint: 'Kinds have lowercase letters, digits, - and _, and the built-in ones need not be set.',
  })
}
