import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { isEmail } from '../plugin/users.ts'

/** Milliseconds to wait for an answer, so that an unattended start still begins to serve. */
const PATIENCE_MS = 60_000

/** Input and output of the process, which may be a terminal. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/** Returns whether a user can answer: not in a service, a pipe or CI. */
export function isInteractive({ input, output }: Terminal, variables: NodeJS.ProcessEnv): boolean {
  return input.isTTY === true && output.isTTY === true && !variables['CI'] && variables['TERM'] !== 'dumb'
}

/** Asks for the owner's e-mail address. @returns null if the user gives none within the time limit, or the process is stopped */
export async function askOwner(
  { input, output }: Terminal,
  stopping: AbortSignal,
  patience: number = PATIENCE_MS,
): Promise<string | null> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(patience)])
  // Not in terminal mode, so that Ctrl+C still sends a signal to the process.
  const lines = createInterface({ input, terminal: false, signal })
  try {
    output.write('\nYour e-mail address, for the first account (Enter to set it later): ')
    for await (const line of lines) {
      const answer = line.trim().toLowerCase()
      if (answer === '') return null
      if (isEmail(answer)) return answer
      output.write('This is no e-mail address. For example ann@example.com (Enter to set it later): ')
    }
    output.write('\n')
    return null
  } finally {
    lines.close()
    input.pause()
  }
}
