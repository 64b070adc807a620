import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { NPM, succeed, type Program } from '../processes.ts'

const MODULES = join(import.meta.dirname, 'node_modules')

/** A program in JavaScript of a package of this folder. */
export const installed = (path: string): Program => ({ file: process.execPath, args: [join(MODULES, path)] })

/** A program that the package brings as a binary of this machine's kind. */
export const binary = (path: string): Program => ({ file: join(MODULES, path), args: [] })

/** Installs what package-lock.json names, unless the last one of it is there. */
export async function install(): Promise<void> {
  if (existsSync(join(MODULES, '@openai/agents'))) return
  const options = ['--ignore-scripts', '--no-audit', '--no-fund']
  await succeed(NPM, ['ci', '--prefix', import.meta.dirname, ...options], { cwd: import.meta.dirname })
}
