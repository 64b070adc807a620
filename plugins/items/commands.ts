import { defineCommand, sql, ToolError, Type } from 'tasuki/plugin'
import { BUILT_IN_KINDS, KIND_PATTERN } from './write-params.ts'

export const projectKinds = defineCommand({
  name: 'project kinds',
  summary: 'Show or replace the custom item kinds of a project.',
  args: Type.Object({
    key: Type.String({ description: 'Project key.' }),
    set: Type.Optional(Type.String({ description: 'Kinds, joined by commas; empty removes all.' })),
    user: Type.Optional(Type.String({ description: 'E-mail address of the owner; needed where two users have the key.' })),
  }),
  positional: ['key'],
  async run(ctx, { key, set, user }) {
    const { rows } = await sql<{ owner_id: string; id: string }>`
      select p.owner_id, p.id from projects.projects p join core.users u on u.id = p.owner_id
      where p.key = ${key.toUpperCase()} and ${user === undefined ? sql`true` : sql`u.email = ${user.toLowerCase()}`} limit 2
    `.execute(ctx.db)
    const [project, other] = rows
    if (!project) throw new ToolError('not_found', `There is no project ${key}.`, { field: 'key' })
    if (other) throw new ToolError('ambiguous_ref', `Several users have a project ${key}.`, { field: 'user', hint: 'Add --user <email>.' })
    if (set !== undefined) {
      const kinds = [...new Set(set.split(',').map(kind => kind.trim()).filter(Boolean))]
      const wrong = kinds.find(kind => !KIND_PATTERN.test(kind) || (BUILT_IN_KINDS as readonly string[]).includes(kind))
      if (wrong !== undefined) {
        throw new ToolError('invalid_argument', `"${wrong}" cannot be a custom kind.`, { field: 'set', hint: 'Lower case letters, digits, - and _, beginning with a letter, and not a built-in kind.' })
      }
      await sql`delete from items.kinds where owner_id = ${project.owner_id} and project_id = ${project.id}`.execute(ctx.db)
      const values = kinds.map((kind, n) => ({ owner_id: project.owner_id, project_id: project.id, kind, label: null, display_order: n }))
      if (values.length > 0) await ctx.db.insertInto('items.kinds').values(values).execute()
    }
    const found = await sql<{ kind: string }>`
      select kind from items.kinds where owner_id = ${project.owner_id} and project_id = ${project.id} order by display_order
    `.execute(ctx.db)
    return { rows: found.rows }
  },
})
