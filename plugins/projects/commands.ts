import { defineCommand, sql, Type } from 'tasuki/plugin'
import { createProject, KEY_PATTERN } from './write.ts'

const User = Type.Optional(
  Type.String({ description: 'E-mail address of the owner; may be left out while there is one user.' }),
)

export const projectCreate = defineCommand({
  name: 'project create',
  summary: 'Create a project.',
  args: Type.Object({
    key: Type.String({ pattern: KEY_PATTERN, description: 'Short upper case key, as in APP#12.' }),
    name: Type.String({ minLength: 1, maxLength: 120 }),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    user: User,
  }),
  positional: ['key', 'name'],
  async run(ctx, { key, name, description, user }) {
    const owner = await ctx.users.require(user)
    const project = await createProject(ctx, { ownerId: owner.id, key, name, description })
    return { text: `Created ${project.key} (${project.name}) of ${owner.email}.` }
  },
})

export const projectList = defineCommand({
  name: 'project list',
  summary: 'List projects.',
  args: Type.Object({ user: User }),
  reads: true,
  async run(ctx, { user }) {
    const { rows } = await sql<Record<string, unknown>>`
      select p.key, p.name, u.email as owner, p.archived_at::text as archived
      from projects.projects p join core.users u on u.id = p.owner_id
      where ${user === undefined ? sql`true` : sql`u.email = ${user.toLowerCase()}`} order by u.email, p.is_inbox desc, p.key
    `.execute(ctx.db)
    return { rows }
  },
})
