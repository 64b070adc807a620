import { choice, defineCommand, ToolError, Type, type ReadContext, type User, type WriteContext } from 'tasuki/plugin'
import { ownerOption } from './commands.ts'
import { requireProjectOf } from './find.ts'
import { readInvitations, readPending, type Invitation } from './invitation.repository.ts'
import { readKey } from './key.ts'
import { readMembers } from './member.repository.ts'
import { acceptInvitation, declineInvitation, leaveProject, setMember } from './members.ts'

const key = Type.String({ description: 'Key of the project.' })
const email = Type.String({ minLength: 3, maxLength: 254, description: 'E-mail address of the person.' })
const shared = Type.String({ description: 'The project with its owner: owner@example.com/KEY.' })
const user = Type.Optional(
  Type.String({ description: 'E-mail address of the invited person; may be left out while there is one user.' }),
)

const projectMembers = defineCommand({
  name: 'project members',
  summary: 'List the members of a project, and who is invited.',
  args: Type.Object({ key, user: ownerOption }),
  positional: ['key'],
  reads: true,
  async run(ctx, { key, user }) {
    const project = await requireProjectOf(ctx, await ctx.users.require(user), key)
    const members = await readMembers(ctx, project)
    const pending = await readPending(ctx, project)
    return {
      rows: [
        ...members.map(member => ({ email: member.email, role: member.role, status: 'member' })),
        ...pending.map(invitation => ({ ...invitation, status: 'invited' })),
      ],
    }
  },
})

const projectInvite = defineCommand({
  name: 'project invite',
  summary: 'Invite somebody to a project, or change the role of a member.',
  args: Type.Object({
    key,
    email,
    role: Type.Optional(choice(['editor', 'viewer'], { default: 'editor', description: 'viewer only reads.' })),
    user: ownerOption,
  }),
  positional: ['key', 'email'],
  async run(ctx, { key, email, role = 'editor', user }) {
    const project = await requireProjectOf(ctx, await ctx.users.require(user), key)
    const change = await setMember(ctx, project, email, role)
    const done = {
      role: `${email} is now ${role} of ${project.key}.`,
      invited: `${email} is invited to ${project.key}.`,
    }
    return { text: change ? done[change] : 'Nothing changed.' }
  },
})

const projectRemoveMember = defineCommand({
  name: 'project remove-member',
  summary: 'Remove a member from a project, or withdraw an invitation.',
  args: Type.Object({ key, email, user: ownerOption }),
  positional: ['key', 'email'],
  async run(ctx, { key, email, user }) {
    const project = await requireProjectOf(ctx, await ctx.users.require(user), key)
    const change = await setMember(ctx, project, email, null)
    const done = { role: `Removed ${email} from ${project.key}.`, invited: `Withdrew the invitation of ${email}.` }
    return { text: change ? done[change] : `${email} is neither a member of ${project.key} nor invited.` }
  },
})

const projectInvitations = defineCommand({
  name: 'project invitations',
  summary: 'List the invitations that a user has not answered.',
  args: Type.Object({ user }),
  reads: true,
  async run(ctx, { user }) {
    const invitations = await readInvitations(ctx, (await ctx.users.require(user)).email)
    return {
      rows: invitations.map(({ inviter, key, name, role, expiresAt }) => ({
        project: `${inviter}/${key}`,
        name,
        role,
        expires: expiresAt,
      })),
    }
  },
})

/** Declares a command that answers an invitation. @param answer returns what to print */
function defineAnswer(
  name: string,
  summary: string,
  answer: (ctx: WriteContext, person: User, invitation: Invitation) => Promise<string>,
) {
  return defineCommand({
    name,
    summary,
    args: Type.Object({ project: shared, user }),
    positional: ['project'],
    async run(ctx, { project, user }) {
      const person = await ctx.users.require(user)
      return { text: await answer(ctx, person, await requireInvitation(ctx, person.email, project)) }
    },
  })
}

const projectAccept = defineAnswer(
  'project accept',
  'Accept an invitation to a project.',
  async (ctx, person, { id, key, inviter }) => {
    const { role } = await acceptInvitation(ctx, person, id)
    return `${person.email} is now ${role} of ${inviter}/${key}.`
  },
)

const projectDecline = defineAnswer(
  'project decline',
  'Decline all invitations of an owner, who cannot invite this person again for a while and is not notified.',
  async (ctx, person, { id, inviter }) => {
    await declineInvitation(ctx, person, id)
    return `Declined all invitations of ${inviter} to ${person.email}.`
  },
)

const projectLeave = defineCommand({
  name: 'project leave',
  summary: 'Leave the project of another user.',
  args: Type.Object({ project: shared, user }),
  positional: ['project'],
  async run(ctx, { project: name, user }) {
    const person = await ctx.users.require(user)
    const { owner, key } = readKey(name)
    const project = await requireProjectOf(ctx, await ctx.users.require(owner ?? person.email), key, 'project')
    await leaveProject(ctx, person.id, project)
    return { text: `${person.email} left ${name}.` }
  },
})

async function requireInvitation(ctx: ReadContext, email: string, name: string): Promise<Invitation> {
  const { owner, key } = readKey(name)
  const invitations = await readInvitations(ctx, email)
  const found = invitations.find(each => each.inviter === owner && each.key === key)
  if (found) return found
  const meant = invitations.find(each => owner === null && each.key === key)
  throw new ToolError('not_found', `${email} has no invitation to ${name}.`, {
    field: 'project',
    hint: meant ? `Name its owner too: ${meant.inviter}/${key}.` : 'tasuki project invitations shows them.',
  })
}

/** Commands for members of projects. */
export const memberCommands = [
  projectMembers,
  projectInvite,
  projectRemoveMember,
  projectInvitations,
  projectAccept,
  projectDecline,
  projectLeave,
]
