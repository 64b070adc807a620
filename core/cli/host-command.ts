import type { Host } from '../host/host.ts'
import type { Command, CommandResult } from '../plugin/command.ts'
import type { CallScope } from '../runtime/runner.ts'

/** A command that needs the host itself instead of a context. It opens its own transactions and does not change tables. */
export interface HostCommand extends Omit<Command, 'reads' | 'run'> {
  /** Makes arguments independent of the caller's working directory, because the server process has a different one. */
  localize?(args: never, cwd: string): object
  /** @throws ToolError, HostError */
  onHost(host: Host, args: never, scope: CallScope): Promise<CommandResult>
}

export type DatabaseCommand = Command | HostCommand
