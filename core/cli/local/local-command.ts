import type { Environment } from '../../config/environment.ts'

export interface LocalCommand {
  readonly name: string
  readonly usage: string
  readonly summary: string
  /** @returns the exit code. */
  run(env: Environment, argv: readonly string[]): Promise<number>
}
