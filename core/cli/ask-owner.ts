import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { isEmail } from '../identity/users.ts'

/** Whoever starts it and goes away finds it serving. */
const PATIENCE_MS = 60_000

/** A terminal, or whatever the process has in its place. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/** Whether somebody sits there who can answer: never in a service, a pipe or CI. */
export function isInteractive({ input, output }: Terminal, variables: NodeJS.ProcessEnv): boolean {
  return input.isTTY === true && output.isTTY === true && !variables['CI'] && variables['TERM'] !== 'dumb'
}

/** Asks for the owner's e-mail address. @returns null where none was given, in a minute or until the process is to stop */
export async function askOwner(
  { input, output }: Terminal,
  stopping: AbortSignal,
  patience: number = PATIENCE_MS,
): Promise<string | null> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(patience)])
  // Without a terminal of its own, so that Ctrl+C stays a signal to the process.
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
