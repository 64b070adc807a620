import type { ClientChannel } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'

/** Client channel for jobs and commands, which have no client. */
export const silentClient: ClientChannel = {
  capabilities: {},
  progress: () => undefined,
  log: () => undefined,
  ask: () => Promise.reject(new ToolError('confirmation_required', 'There is no client that could be asked.')),
  requireAgreed: () => undefined,
}
