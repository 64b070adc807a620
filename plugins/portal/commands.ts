import { defineCommand, Type } from 'tasuki/plugin'
import { newSetupLink } from './auth/setup-link.repository.ts'

export const setupLink = defineCommand({
  name: 'portal setup-link',
  summary: 'Create a one-time link with which a user sets a new password for the portal.',
  args: Type.Object({ user: Type.String({ description: 'E-mail address of the user.' }) }),
  positional: ['user'],
  async run(ctx, { user: email }) {
    const user = await ctx.users.require(email)
    const code = await newSetupLink(ctx, user.id)
    return {
      text: `${ctx.deployment.baseUrl()}/setup#${code}\n\nThe link works once, within a day, and sets the password of ${user.email}; earlier links of that user have ended.`,
    }
  },
})
