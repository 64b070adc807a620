import { Type } from '@sinclair/typebox'
import { countUserData, deleteUser } from '../../identity/delete-user.ts'
import { revokeAccess } from '../../identity/revoke.ts'
import {
  createUser,
  disableUser,
  enableUser,
  requireUser,
  resetSecondFactor,
  setAdministrator,
  setEmail,
} from '../../identity/users.ts'
import { findUsers, readUserList } from '../../identity/user.repository.ts'
import { firstStart } from '../../plugin/host-points.ts'
import { EMAIL } from '../../plugin/users.ts'
import { defineCommand } from '../../plugin/command.ts'
import type { WriteContext } from '../../plugin/context.ts'
import { formatCount } from '../../plugin/format-count.ts'

const email = Type.String({ description: 'E-mail address of the user.' })
const newEmail = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: EMAIL.source,
  description: 'E-mail address, by which the user signs in.',
})

/** Declares a command whose only argument is the e-mail address of a user. */
function aboutUser(name: string, summary: string, run: (ctx: WriteContext, email: string) => Promise<string>) {
  return defineCommand({
    name: `user ${name}`,
    summary,
    args: Type.Object({ email }),
    positional: ['email'],
    run: async (ctx, args) => ({ text: await run(ctx, args.email) }),
  })
}

export const userCreate = defineCommand({
  name: 'user create',
  summary: 'Create a user with an Inbox.',
  args: Type.Object({
    email: newEmail,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 120, description: 'How others see the user.' })),
    time_zone: Type.Optional(Type.String({ description: 'IANA time zone of due dates; default Asia/Tokyo.' })),
  }),
  positional: ['email'],
  async run(ctx, { email, name, time_zone: timeZone }) {
    const user = await createUser(ctx, { email, name, timeZone })
    return { text: `Created ${user.email} (${user.id}), time zone ${user.timeZone}.` }
  },
})

export const userAdmin = defineCommand({
  name: 'user admin',
  summary: 'Make a user an administrator, who may read the whole audit trail.',
  args: Type.Object({
    email,
    off: Type.Optional(Type.Boolean({ description: 'Take it away instead.' })),
  }),
  positional: ['email'],
  async run(ctx, { email, off = false }) {
    const user = await setAdministrator(ctx, email, { administrator: !off })
    return { text: off ? `${user.email} is no administrator any more.` : `${user.email} is administrator now.` }
  },
})

export const userRevoke = aboutUser(
  'revoke',
  'Revoke all tokens, connected apps and browser sessions of a user immediately.',
  async (ctx, address) => {
    const user = await requireUser(ctx, address)
    const ended = Object.entries(await revokeAccess(ctx, user.id))
      .filter(([, count]) => count > 0)
      .map(([what, count]) => formatCount(count, what.replaceAll('_', ' ').replace(/s$/, '')))
    const done =
      ended.length === 0 ? `${user.email} had no access to end` : `Ended for ${user.email}: ${ended.join(', ')}`
    return `${done}. The password and linked accounts still sign in.`
  },
)

export const userDisable = aboutUser(
  'disable',
  'Block a user immediately. Data, tokens and apps stay, and work again after user enable.',
  async (ctx, address) => {
    const user = await disableUser(ctx, address)
    return `${user.email} is disabled. To let the user in again: tasuki user enable ${user.email}`
  },
)

export const userEnable = aboutUser(
  'enable',
  'Unblock a disabled user.',
  async (ctx, address) => `${(await enableUser(ctx, address)).email} is enabled.`,
)

export const userInvite = defineCommand({
  name: 'user invite',
  summary: 'Create the link with which a user sets a password; creates the user if there is none.',
  args: Type.Object({ email: newEmail }),
  positional: ['email'],
  async run(ctx, { email }) {
    const [known] = await findUsers(ctx, email.trim().toLowerCase())
    const user = known ?? (await createUser(ctx, { email }))
    const notes: string[] = []
    for (const write of ctx.all(firstStart)) notes.push((await write(ctx, user))(ctx.deployment.baseUrl()))
    return { text: [known ? `There is a user ${user.email}.` : `Created ${user.email}.`, ...notes].join('\n\n') }
  },
})

export const userSetEmail = defineCommand({
  name: 'user set-email',
  summary: 'Change the e-mail address of a user.',
  args: Type.Object({
    email,
    new: Type.String({ description: 'E-mail address from now on.' }),
  }),
  positional: ['email', 'new'],
  async run(ctx, { email, new: address }) {
    const user = await requireUser(ctx, email)
    await setEmail(ctx, user, address)
    return { text: `${user.email} is ${address.trim().toLowerCase()} now. Tokens, apps and sessions go on.` }
  },
})

export const userResetSecondFactor = aboutUser(
  'reset-second-factor',
  'Remove the authenticator app, passkeys and recovery codes of a user who lost them.',
  async (ctx, address) => {
    const user = await requireUser(ctx, address)
    return (await resetSecondFactor(ctx, user))
      ? `${user.email} signs in with the password alone until a second factor is set up again. Sessions and tokens stay valid: tasuki user revoke ends them.`
      : `${user.email} has no second factor.`
  },
)

export const userDelete = defineCommand({
  name: 'user delete',
  summary: 'Delete a user with all their data and files. Without --yes it only says what would be deleted.',
  args: Type.Object({
    email,
    yes: Type.Optional(Type.Boolean({ description: 'Delete it now. There is no way back but a backup.' })),
  }),
  positional: ['email'],
  reads: ({ yes }) => yes !== true,
  async run(ctx, { email, yes }) {
    const user = await requireUser(ctx, email)
    const counts = yes ? await deleteUser(ctx, user) : await countUserData(ctx, user)
    const tables = Object.entries(counts).map(([table, rows]) => `  ${table}: ${rows}`)
    const after = yes
      ? 'Files in the storage go as soon as the service runs. Backups still have everything.'
      : `Files in the storage go too, and what others wrote in projects of ${user.email}. To delete it for good: tasuki user delete ${user.email} --yes`
    return { text: [`${yes ? 'Deleted' : 'Rows'} of ${user.email}:`, ...tables, after].join('\n') }
  },
})

export const userList = defineCommand({
  name: 'user list',
  summary: 'List users.',
  args: Type.Object({}),
  reads: true,
  run: async ctx => ({ rows: await readUserList(ctx) }),
})
