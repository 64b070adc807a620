import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedDataVersionTag } from 'node:v8'
import { compileEngine } from '../../../core/db/pglite/engine.ts'

test('the engine is compiled once, and V8 still accepts its code cache', () => {
  const tag = cachedDataVersionTag()
  const engine = compileEngine()
  assert.equal(compileEngine(), engine)
  assert.equal(Object.prototype.toString.call(engine), '[object WebAssembly.Module]')
  assert.equal(cachedDataVersionTag(), tag)
})
