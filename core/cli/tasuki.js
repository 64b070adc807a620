#!/usr/bin/env node
// The command of the package. A checkout has no dist folder: there the sources run as they are.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const compiled = new URL('../../dist/core/main.js', import.meta.url)
if (existsSync(compiled)) {
  await import(compiled.href)
} else {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=tasuki-source', main, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', code => process.exit(code ?? 1))
}
