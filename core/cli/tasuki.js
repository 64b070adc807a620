#!/usr/bin/env node
// The command of the package. A checkout runs its sources, whatever an earlier build left in dist.
import { existsSync } from 'node:fs'
import module from 'node:module'

const version = process.versions.node
if (Number.parseInt(version, 10) < 24) {
  console.error(`tasuki needs Node 24 or later; this is ${version}`)
  process.exit(1)
}
// On before the first file of TypeScript, which else brings the compiler along.
module.enableCompileCache()
const sources = new URL('../main.ts', import.meta.url)
if (existsSync(sources)) {
  module.registerHooks({
    resolve: (name, context, next) => next(name, { ...context, conditions: [...context.conditions, 'tasuki-source'] }),
  })
  await import(sources.href)
} else {
  await import(new URL('../../dist/core/main.js', import.meta.url).href)
}
