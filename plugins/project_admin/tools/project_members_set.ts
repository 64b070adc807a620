import { choice, defineTool, nullable, Type } from 'tasuki/plugin'
import { projectKey, readMembers, requireProject, setMember } from '../../projects/index.ts'

const ROLES = ['editor', 'viewer'] as const

const Member = Type.Object({ email: Type.String(), name: Type.String(), role: choice(ROLES) })

export const projectMembersSet = defineTool({
  name: 'project_members_set',
  class: 'W',
  title: 'Set project member',
  summary:
    'Adds a user to a project of yours, changes the role or removes the user. Members see that project and no other. Returns all members.',
  rank: 1140,
  input: {
    project_key: projectKey('Key of a project you own.'),
    email: Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address of the user.' }),
    role: nullable(choice(ROLES), { description: 'viewer only reads; null removes.' }),
  },
  output: {
    project_key: Type.String(),
    members: Type.Array(Member),
    changed: Type.Array(Type.String()),
  },
  async run(ctx, { project_key, email, role }) {
    const project = await requireProject(ctx, project_key, { owner: true })
    const { changed } = await setMember(ctx, project, email, role)
    const members = [...(await readMembers(ctx, project))]
    return { project_key: project.key, members, changed: changed ? ['role'] : [] }
  },
})
