import type { ClientChannel } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'

/** A client channel without a client, for jobs and commands. */
export const silentClient: ClientChannel = {
  capabilities: {},
  progress: () => undefined,
  log: () => undefined,
  ask: () => Promise.reject(new ToolError('confirmation_required', 'There is no client that could be asked.')),
}
