import { Type } from '@sinclair/typebox'
import { listTokens } from '../../identity/token.repository.ts'
import { issueTokenAndNotify, revokeToken } from '../../identity/tokens.ts'
import { requireUser } from '../../identity/users.ts'
import { defineCommand } from '../../plugin/command.ts'
import { ToolError } from '../../plugin/errors.ts'
import { choice } from '../../plugin/fields.ts'
import { quoteName } from '../../plugin/quote-name.ts'
import { DAY_MS } from '../../plugin/durations.ts'

const User = Type.Optional(Type.String({ description: 'E-mail address; may be left out while there is one user.' }))

export const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'Issue a personal access token and show it, once.',
  args: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 80, description: 'What it is for.' }),
    scope: choice(['read', 'write'], { default: 'write', description: 'read lets it call read-only tools alone.' }),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3650, description: 'Days until it ends; without it, it does not.' }),
    ),
    human: Type.Optional(Type.Boolean({ description: 'Count its calls as done by a person instead of an agent.' })),
    user: User,
  }),
  positional: ['name'],
  async run(ctx, { name, scope, expires_in_days: days, human, user: email }) {
    const user = await requireUser(ctx, email)
    const expiresAt = days === undefined ? null : new Date(ctx.now.getTime() + days * DAY_MS)
    const actorKind = human ? 'human' : 'agent'
    const { id, value } = await issueTokenAndNotify(ctx, { userId: user.id, name, scope, expiresAt, actorKind })
    return {
      data: { id, token: value, user: user.email, scope, expires_at: expiresAt },
      text: `${value}\n\nThis is the only time it is shown. It belongs to ${user.email}, scope ${scope}; end it with: tasuki token revoke ${id}`,
    }
  },
})

export const tokenList = defineCommand({
  name: 'token list',
  summary: 'List tokens with their last use.',
  args: Type.Object({ user: User }),
  reads: true,
  async run(ctx, { user }) {
    return { rows: await listTokens(ctx, user) }
  },
})

export const tokenRevoke = defineCommand({
  name: 'token revoke',
  summary: 'Revoke a token immediately, on every instance.',
  args: Type.Object({ id: Type.String({ description: 'Its id, from token list.' }) }),
  positional: ['id'],
  async run(ctx, { id }) {
    if (!/^[0-9a-f-]{36}$/i.test(id))
      throw new ToolError('invalid_argument', `"${id}" is not the id of a token.`, {
        field: 'id',
        hint: 'tasuki token list shows the ids.',
      })
    const { name } = await revokeToken(ctx, id)
    return { text: `Revoked ${quoteName(name)} (${id}).` }
  },
})
