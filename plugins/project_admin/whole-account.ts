import { ToolError, type ReadContext } from 'tasuki/plugin'

/** Denies account-wide operations to credentials with a project scope. @throws ToolError forbidden */
export function requireWholeAccount(ctx: ReadContext, what: string): void {
  if (ctx.actor.projects === null) return
  throw new ToolError('forbidden', `This credential is limited to some projects and may not ${what}.`, {
    hint: 'Use a credential without that limit, or the portal.',
  })
}
