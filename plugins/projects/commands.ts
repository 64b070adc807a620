import { defineCommand, quoteName, Type, type ReadContext } from 'tasuki/plugin'
import { KEY_PATTERN } from './key.ts'
import { listProjectsOf } from './project.repository.ts'
import { createProject } from './write.ts'

/** The command option that selects the owner of the records. */
export const ownerOption = Type.Optional(
  Type.String({ description: 'E-mail address of the owner; may be left out while there is one user.' }),
)

/** The command argument that names a project. */
export const projectArgument = Type.String({ minLength: 1, maxLength: 300, description: 'Key of the project.' })

/** Defines a command that lists records. @param read gets the e-mail address of the owner, if the command names one */
export function defineListCommand(
  name: string,
  summary: string,
  read: (ctx: ReadContext, user: string | undefined) => Promise<readonly Record<string, unknown>[]>,
) {
  return defineCommand({
    name,
    summary,
    args: Type.Object({ user: ownerOption }),
    reads: true,
    run: async (ctx, { user }) => ({ rows: await read(ctx, user) }),
  })
}

export const projectCreate = defineCommand({
  name: 'project create',
  summary: 'Create a project.',
  args: Type.Object({
    key: Type.String({ pattern: KEY_PATTERN, description: 'Short upper case key, as in APP#12.' }),
    name: Type.String({ minLength: 1, maxLength: 120 }),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    user: ownerOption,
  }),
  positional: ['key', 'name'],
  async run(ctx, { key, name, description, user }) {
    const owner = await ctx.users.require(user)
    const project = await createProject(ctx, { ownerId: owner.id, key, name, description })
    return { text: `Created ${project.key} (${quoteName(project.name)}) of ${owner.email}.` }
  },
})

export const projectList = defineListCommand('project list', 'List projects.', listProjectsOf)
