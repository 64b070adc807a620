import { once } from 'node:events'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { fileProblem } from '../db/file-problem.ts'
import { HostError } from '../plugin/errors.ts'
import { replaceInvisible } from '../plugin/quote-name.ts'

/** Destination of the output of a command. */
export interface Output {
  readonly isStandard: boolean
  write(text: string): Promise<void>
  /** Completes the output. */
  done(): Promise<void>
  /** Discards the output. */
  fail(): Promise<void>
}

/** Writes a text: unchanged to a file or another program, but to a terminal, which obeys control characters, without them. */
export function print(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>, text: string): boolean {
  return stream.write(stream.isTTY ? text.replaceAll(/[^\n\t]+/g, replaceInvisible) : text)
}

export const standardOutput: Output = {
  isStandard: true,
  async write(text) {
    if (!print(process.stdout, text)) await once(process.stdout, 'drain')
  },
  async done() {},
  async fail() {},
}

/** Creates a file that is renamed to its final name when it is complete, replacing an existing file. A device or pipe is written to as it is. */
export function fileOutput(file: string): Output {
  let part = `${file}.part`
  let handle: FileHandle | undefined
  return {
    isStandard: false,
    async write(text) {
      try {
        if (!handle) {
          if ((await stat(file).catch(() => null))?.isFile() === false) part = file
          // An older file would keep its mode.
          else await rm(part, { force: true })
          handle = await open(part, 'w', 0o600)
        }
        await handle.writeFile(text)
      } catch (error) {
        throw new HostError(`${file} cannot be written: ${fileProblem(error) ?? (error as Error).message}`)
      }
    },
    async done() {
      await handle?.close()
      if (handle && part !== file) await rename(part, file)
    },
    async fail() {
      await handle?.close()
      if (handle && part !== file) await rm(part, { force: true })
    },
  }
}
