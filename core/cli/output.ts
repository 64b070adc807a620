import { once } from 'node:events'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { fileProblem } from '../db/file-problem.ts'
import { HostError } from '../plugin/errors.ts'

/** Where the content goes that a command returns. */
export interface Output {
  readonly isStandard: boolean
  write(text: string): Promise<void>
  /** All is written. */
  done(): Promise<void>
  /** Nothing stays of it. */
  fail(): Promise<void>
}

/** @param file path; undefined = standard output */
export function openOutput(file: unknown): Output {
  return typeof file === 'string' ? fileOutput(file) : standardOutput
}

const standardOutput: Output = {
  isStandard: true,
  async write(text) {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  },
  async done() {},
  async fail() {},
}

/** A file that gets its name when it is whole; one of that name is replaced then. */
function fileOutput(file: string): Output {
  const part = `${file}.part`
  let handle: FileHandle | undefined
  return {
    isStandard: false,
    async write(text) {
      try {
        handle ??= await open(part, 'w')
        await handle.writeFile(text)
      } catch (error) {
        throw new HostError(fileProblem(error) ?? `${file} cannot be written: ${(error as Error).message}`)
      }
    },
    async done() {
      await handle?.close()
      if (handle) await rename(part, file)
    },
    async fail() {
      await handle?.close()
      if (handle) await rm(part, { force: true })
    },
  }
}
