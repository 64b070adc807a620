import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { run } from './processes.ts'

const FILE = `
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
describe('a suite', () => {
  test('passes', async t => {
    await sleep(1)
    await t.test('within', () => sleep(1))
  })
  test('throws later', async () => {
    await sleep(1)
    setTimeout(() => { throw new Error('in a timer') }, 1)
    await sleep(100)
  })
  test('forgets a promise', async () => {
    await sleep(1)
    void Promise.reject(new Error('in a promise'))
    await sleep(100)
  })
})`

test('an error of a callback fails the test that it belongs to', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-context-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'some.mjs')
  const entry = join(folder, 'entry.mjs')
  writeFileSync(file, FILE)
  const { href } = new URL('test-context.ts', import.meta.url)
  writeFileSync(
    entry,
    `await (await import('${href}')).loadTestRunner()\nawait import('${pathToFileURL(file).href}')\n`,
  )
  const args = ['--test-reporter=tap', entry]
  const { code, stdout } = await run({ file: process.execPath, args: [] }, args, { cwd: folder })
  assert.equal(code, 1)
  const results = stdout.split('\n').filter(line => /^ *(not )?ok /.test(line))
  assert.deepEqual(
    results.map(line => line.trim()),
    ['ok 1 - within', 'ok 1 - passes', 'not ok 2 - throws later', 'not ok 3 - forgets a promise', 'not ok 1 - a suite'],
  )
  assert.match(stdout, /in a timer[\s\S]*in a promise/)
})
