import type { CommandResult } from '../plugin/command.ts'
import { fileOutput, print, standardOutput } from './output.ts'
import { formatTable } from './table.ts'

/** A command with arguments that any process on this machine understands. */
export interface CommandCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  /** Whether to print JSON instead of a table. */
  readonly json: boolean
  /** File that receives the output of the command; null = standard output; absent if the command has none. */
  readonly output?: string | null
}

/** Calls a command until it has processed all batches, and prints its result. @returns the exit code */
export async function runCall(
  { args, json, output }: CommandCall,
  run: (args: unknown) => Promise<CommandResult>,
): Promise<number> {
  const to = typeof output === 'string' ? fileOutput(output) : standardOutput
  const target = output === undefined ? null : to
  try {
    const showProgress = progressSince(performance.now())
    let result = await run(args)
    for (;;) {
      if (target && result.output !== undefined) await target.write(result.output)
      if (!result.next) break
      showProgress(result.next)
      result = await run(result.next.args)
    }
    await target?.done()
    // The result must not be mixed with the command's output.
    if (!target?.isStandard) print(process.stdout, await formatResult(result, json))
    else if (process.stderr.isTTY) print(process.stderr, await formatResult(result, json))
    return 0
  } catch (error) {
    await target?.fail()
    throw error
  }
}

const BAR_WIDTH = 30

/** Interval of progress lines without a terminal, in milliseconds. */
const LINE_MS = 10_000

/** Creates a progress display with rate and remaining time: a bar in a terminal, else a line from time to time. */
function progressSince(began: number): (progress: { readonly done: number; readonly total: number }) => void {
  let shownAt = began
  return ({ done, total }) => {
    const now = performance.now()
    const rate = (done * 1000) / Math.max(now - began, 1)
    const rest = Math.ceil(Math.max(total - done, 0) / Math.max(rate, 0.001))
    const text = `${done} / ${total}, ${Math.round(rate)} a second, ${rest} s left`
    if (process.stderr.isTTY) {
      const filled = Math.min(Math.round((BAR_WIDTH * done) / Math.max(total, 1)), BAR_WIDTH)
      const end = done >= total ? '\n' : ''
      process.stderr.write(`\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${text}\x1b[K${end}`)
    } else if (now - shownAt >= LINE_MS) {
      shownAt = now
      process.stderr.write(`${text}\n`)
    }
  }
}

async function formatResult({ text, rows, data }: CommandResult, json: boolean): Promise<string> {
  if (json) return `${JSON.stringify(data ?? (text === undefined ? rows : { text, rows }))}\n`
  // A text says enough if no rows follow it.
  const table = rows && (rows.length > 0 || text === undefined) ? await formatTable(rows) : undefined
  return `${[text, table].filter(Boolean).join('\n')}\n`
}
