import type { Host } from '../host/host.ts'
import type { Command, CommandResult } from '../plugin/command.ts'
import type { CallScope } from '../runtime/runner.ts'

/** A command that needs more of the host than a context: it opens transactions of its own, and leaves the tables as they are. */
export interface HostCommand extends Omit<Command, 'reads' | 'run'> {
  /** Makes arguments mean the same in the serving process, which has another working directory. */
  localize?(args: never): object
  /** @throws ToolError, HostError */
  onHost(host: Host, args: never, scope: CallScope): Promise<CommandResult>
}

export type DatabaseCommand = Command | HostCommand
