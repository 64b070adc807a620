import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { noPostgres } from '../engines.ts'
import { mountDisk, noDisk } from '../faults/disk.ts'
import { startInstance, type Instance } from '../faults/instance.ts'
import { networkFaultHost } from '../network-fault-host.ts'
import { recordFigures } from '../trust/figures.ts'
import { inProcess } from './in-process.ts'

/** Tests the messages that operators see while their infrastructure fails. */
const skip = process.env['TEST_ENGINE'] === 'postgres' ? 'needs the embedded database' : noDisk

test('a full disk and a read-only folder are named, at the start and while it runs', { skip }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-disk-'))
  const disk = mountDisk(folder, 400)
  t.after(() => {
    disk.unmount()
    rmSync(folder, { recursive: true, force: true })
  })
  const elsewhere = mkdtempSync(join(tmpdir(), 'tasuki-elsewhere-'))
  t.after(() => rmSync(elsewhere, { recursive: true, force: true }))
  const options = { dataDir: join(folder, 'data'), log: true }
  const refusal = async (): Promise<string> => {
    const error = await startInstance(options).then(
      () => assert.fail('it started'),
      (reason: unknown) => reason as Error,
    )
    assert.doesNotMatch(error.message, /^ {4}at /m, 'no stack')
    return error.message
  }
  disk.fill()
  assert.match(await refusal(), /disk is full: free some space/, 'at a first start')
  disk.free()
  rmSync(options.dataDir, { recursive: true, force: true })
  disk.readOnly(true)
  assert.match(await refusal(), /read-only/)
  disk.readOnly(false)

  await (await startInstance(options)).stop()
  disk.fill()
  // Room for the lock, but not for the engine, which does not say what is wrong.
  const ballast = join(folder, 'ballast')
  truncateSync(ballast, statSync(ballast).size - 4096)
  assert.match(await refusal(), /cannot be opened: the disk is full: free some space/, 'at a restart')
  disk.free()
  const instance = await startInstance(options)
  disk.fill()
  const full = await failingWrite(instance)
  assert.deepEqual([full.code, full.retryable], ['unavailable', true])
  assert.ok(instance.lines.some(line => /the disk is full: free some space/.test(line)))
  assert.equal((await instance.call('tasks_list', {}))?.ok, true, 'reads still work')
  for (const [command, says] of [
    [['copy', '--to', join(elsewhere, 'copy')], /the database in .* cannot be copied: the disk is full/],
    [['doctor'], /^WRONG DATA_DIR: .*data cannot be written: the disk is full/m],
    [['backup', join(elsewhere, 'full.tar.gz')], /The command failed; .*: the disk is full: free some space/],
  ] as const) {
    const { code, stdout, stderr } = await inProcess(command, { DATA_DIR: options.dataDir })
    assert.equal(code, 1, stdout)
    assert.match(stdout + stderr, says)
    assert.equal((await instance.call('tasks_list', {}))?.ok, true, `reads still work after ${command[0]}`)
  }
  const warnings = () => instance.lines.filter(line => /"level":[456]0/.test(line))
  const before = warnings().length
  for (let n = 0; n < 30; n++) await instance.call('items_create', { project_key: 'INBOX', title: 'x' })
  assert.ok(warnings().length - before < 15, warnings().slice(before).join('\n'))
  disk.free()
  for (let n = 0; !(await instance.call('items_create', { project_key: 'INBOX', title: 'x' }))?.ok; n++)
    assert.ok(n < 100, 'writes work again')
  await instance.kill()
})

/** Writes until a write is refused; existing segments of the write-ahead log still have some room. */
async function failingWrite(instance: Instance) {
  const detail = 'x'.repeat(30_000)
  for (let n = 0; n < 2000; n++) {
    const answer = await instance.call('items_create', { project_key: 'INBOX', title: 'x', detail })
    if (answer && !answer.ok) return answer
  }
  return assert.fail('no write was refused')
}

test(
  'an outage of the database leaves few lines, and one line that counts the others',
  { skip: noPostgres },
  async t => {
    const lines: { level: number; msg: string; times?: number }[] = []
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const { host, cut } = await networkFaultHost(t, { only: ['items'], logger: { level: 'info', stream } })
    await host.call('tasks_list')
    await cut()
    const before = lines.length
    const began = performance.now()
    let calls = 0
    while (performance.now() - began < 5000) {
      await Promise.all(Array.from({ length: 10 }, () => host.call('tasks_list').catch(() => calls++)))
      await sleep(50)
    }
    const during = lines.slice(before).filter(({ level }) => level >= 40)
    await sleep(10_500 - (performance.now() - began))
    const summaries = lines.slice(before).filter(({ times }) => times !== undefined)
    recordFigures('operators.outage', { 'calls that failed': calls, 'lines in 5 s': during.length })
    t.diagnostic(`${calls} calls, ${during.length} lines`)
    assert.ok(calls > 50)
    assert.ok(during.length <= 10, during.map(({ msg }) => msg).join('\n'))
    assert.ok(summaries.some(({ msg, times }) => msg.endsWith('(repeated)') && times! >= calls / 2))
  },
)

test('a request that its client aborts is no error', { skip: noPostgres }, async t => {
  const lines: { level: number; msg: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { host } = await networkFaultHost(t, { only: ['items'], logger: { level: 'info', stream } })
  const url = await host.listen()
  const headers = { authorization: `Bearer ${host.token}`, 'content-type': 'application/json', 'content-length': 1000 }
  for (const body of ['', '{"jsonrpc":"2.0"', `{"jsonrpc":"2.0","id":1,"method":"tools/list"}${' '.repeat(954)}`]) {
    const outgoing = request(url, { method: 'POST', headers, agent: false })
    outgoing.on('error', () => undefined)
    outgoing.write(body || ' ')
    await sleep(100)
    outgoing.destroy()
  }
  await sleep(500)
  assert.equal((await host.rpc('tools/list')).status, 200)
  assert.deepEqual(
    lines.filter(({ level }) => level >= 40),
    [],
  )
})
