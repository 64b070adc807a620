import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { NPM, succeed, type Program } from '../processes.ts'

const MODULES = join(import.meta.dirname, 'node_modules')

/** Locates a JavaScript program of a package in this folder. */
export const programOf = (path: string): Program => ({ file: process.execPath, args: [join(MODULES, path)] })

/** Locates a native binary of a package in this folder. */
export const binary = (path: string): Program => ({ file: join(MODULES, path), args: [] })

/** Installs the packages of package-lock.json, unless the last of them is already installed. */
export async function install(): Promise<void> {
  if (existsSync(join(MODULES, '@openai/agents'))) return
  const options = ['--ignore-scripts', '--no-audit', '--no-fund']
  await succeed(NPM, ['ci', '--prefix', import.meta.dirname, ...options], { cwd: import.meta.dirname })
}
