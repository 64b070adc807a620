import type { ClientChannel } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'

/** The line to nobody: of jobs and commands, which no client is waiting for. */
export const silentClient: ClientChannel = {
  capabilities: {},
  progress: () => undefined,
  log: () => undefined,
  ask: () => Promise.reject(new ToolError('confirmation_required', 'There is no client that could be asked.')),
}
