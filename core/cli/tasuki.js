#!/usr/bin/env node
// The command of the package. A checkout runs its sources, whatever an earlier build left in dist.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'

const { platform, arch, versions } = process
if (Number.parseInt(versions.node, 10) < 24) runByOwnNode()
else await run()

async function run() {
  // On before the first file of TypeScript, which else brings the compiler along.
  module.enableCompileCache()
  const sources = new URL('../main.ts', import.meta.url)
  if (!existsSync(sources)) return import(new URL('../../dist/core/main.js', import.meta.url).href)
  module.registerHooks({
    resolve: (name, context, next) => next(name, { ...context, conditions: [...context.conditions, 'tasuki-source'] }),
  })
  return import(sources.href)
}

/** The Node of an older npm does not suffice; a newer one came with the package. */
function runByOwnNode() {
  const node = ownNode()
  if (node === null) {
    console.error(
      `tasuki needs Node 24 or later; this is ${versions.node}, and none came with the package for ${platform} ${arch}`,
    )
    process.exit(1)
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal tells both; anybody else tells this process alone.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    console.error(`tasuki: ${node} cannot be run: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

function ownNode() {
  const [system, file] = platform === 'win32' ? ['win', 'node.exe'] : [platform, 'node']
  try {
    const found = module.createRequire(import.meta.url).resolve(`node-${system}-${arch}/package.json`)
    const path = join(dirname(found), 'bin', file)
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}
