import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { defineThread } from '../../core/plugin/threads.ts'
import { addOne, fillMemory, spin } from './threads-worker.ts'

suite('a thread', { timeout: 60_000 }, () => {
  const thread = defineThread(import.meta.url, './threads-worker', { idleMs: 1000, heapMb: 32 })
  // Neither threads nor deadlines keep a process alive; a server does.
  const server = setInterval(() => undefined, 1000)
  after(async () => {
    clearInterval(server)
    await (await thread()).destroy()
  })

  test('runs the tasks that wait for one that is aborted', async () => {
    const pool = await thread()
    const aborted = pool.run(null, { name: spin.name, signal: AbortSignal.timeout(300) })
    const waiting = [1, 2].map(n => pool.run(n, { name: addOne.name }))
    await assert.rejects(aborted, { name: 'AbortError' })
    assert.deepEqual(await Promise.all(waiting), [2, 3])
  })

  test('runs the tasks that wait for one that needs too much memory', async () => {
    const pool = await thread()
    const failed = pool.run(null, { name: fillMemory.name })
    const waiting = [1, 2].map(n => pool.run(n, { name: addOne.name }))
    await assert.rejects(failed, { code: 'ERR_WORKER_OUT_OF_MEMORY' })
    assert.deepEqual(await Promise.all(waiting), [2, 3])
  })

  test('refuses a waiting task as soon as it is aborted', async () => {
    const pool = await thread()
    const running = new AbortController()
    const spinning = pool.run(null, { name: spin.name, signal: running.signal })
    const waiting = pool.run(1, { name: addOne.name, signal: AbortSignal.timeout(50) })
    await assert.rejects(waiting, { name: 'AbortError' })
    await assert.rejects(pool.run(1, { name: addOne.name, signal: AbortSignal.abort() }), { name: 'AbortError' })
    running.abort()
    await assert.rejects(spinning, { name: 'AbortError' })
    assert.equal(await pool.run(1, { name: addOne.name }), 2)
  })
})
