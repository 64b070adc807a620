import { choice, defineTool, nullable, Type } from 'tasuki/plugin'
import { projectKey, readMembers, readPending, requireProject, setMember } from '../../projects/index.ts'

const ROLES = ['editor', 'viewer'] as const

const Member = Type.Object({ email: Type.String(), name: Type.String(), role: choice(ROLES) })
const Invited = Type.Object({ email: Type.String(), role: choice(ROLES) })

export const projectMembersSet = defineTool({
  name: 'project_members_set',
  class: 'W',
  title: 'Set project member',
  summary:
    'Invites a person to a project of yours, changes the role of a member, or removes. Who accepts sees that project and no other. Returns all members, and who is invited.',
  rank: 1140,
  input: {
    project_key: projectKey('Key of a project you own.'),
    email: Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address of the person.' }),
    role: nullable(choice(ROLES), { description: 'viewer only reads; null removes or withdraws.' }),
  },
  output: {
    project_key: Type.String(),
    members: Type.Array(Member),
    invited: Type.Array(Invited),
    changed: Type.Array(Type.String()),
  },
  async run(ctx, { project_key, email, role }) {
    const project = await requireProject(ctx, project_key, { owner: true })
    const change = await setMember(ctx, project, email, role)
    const members = [...(await readMembers(ctx, project))]
    const invited = [...(await readPending(ctx, project))]
    return { project_key: project.key, members, invited, changed: change ? [change] : [] }
  },
})
