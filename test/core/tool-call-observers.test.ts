import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { toolCallObservers, definePlugin, sql, type FinishedCall } from 'tasuki/plugin'
import { testHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../engines.ts'
import { suiteScope } from './suite-scope.ts'

/** Makes a plugin that observes calls; `broken` makes it throw while it records or stores. */
function observing(broken?: 'record' | 'store') {
  const calls: FinishedCall[] = []
  const kept: (readonly string[])[] = []
  const plugin = definePlugin({
    name: `observing_${broken ?? 'well'}`,
    version: '1.0.0',
    api: 1,
    group: 'observing',
    contributes: [
      toolCallObservers<string>({
        record(call) {
          if (broken === 'record') throw new Error('cannot record')
          calls.push(call)
          return call.tool === 'search_help' ? null : `${call.tool} ${call.error ?? 'ok'}`
        },
        async store(ctx, records) {
          await sql`select 1`.execute(ctx.db)
          if (broken === 'store') throw new Error('cannot store')
          kept.push(records)
        },
      }),
    ],
  })
  return { plugin, calls, kept }
}

forEachEngine('observers of tool calls', engine => {
  const scope = suiteScope()
  const lines: string[] = []
  const { plugin, calls, kept } = observing()
  let host: TestHost
  before(async () => {
    const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } }
    const plugins = [observing('record').plugin, observing('store').plugin, plugin]
    host = await testHost(scope, { engine, plugins, logger })
  })

  test('receive successful and refused calls with arguments, answer and caller', async () => {
    await host.call('items_create', { project_key: 'INBOX', title: 'One' })
    await assert.rejects(host.call('items_get', { item_ref: '#99' }), { code: 'not_found' })
    await assert.rejects(host.call('items_get', { item: 1 }), { code: 'missing_argument' })
    await assert.rejects(host.call('no_such_tool'))
    await host.call('search_help')
    // Observers do not receive calls of tools that the credential may not see.
    const reader = await host.reader()
    await assert.rejects(reader.call('items_create', { project_key: 'INBOX', title: 'x' }))
    const [created, missing, malformed, help, ...more] = calls
    assert.equal(more.length, 0)
    const { tool, toolClass, ok, error, input, result, actor } = created!
    assert.deepEqual([tool, toolClass, ok, error, input['title']], ['items_create', 'W', true, null, 'One'])
    assert.equal(JSON.parse(result!).item.ref, 'INBOX#1')
    assert.equal(actor.userId, host.userId)
    assert.deepEqual([missing!.ok, missing!.error, missing!.result], [false, 'not_found', null])
    assert.deepEqual([malformed!.error, malformed!.input], ['missing_argument', { item: 1 }])
    assert.equal(help!.tool, 'search_help')
    assert.deepEqual(kept, [])
    await host.calls.flush()
    assert.deepEqual(kept.splice(0), [['items_create ok', 'items_get not_found', 'items_get missing_argument']])
    await host.calls.flush()
    assert.deepEqual(kept, [])
  })

  test('add no statement to a call: notes are stored together about a second later', async () => {
    const sent = await host.statements(() => host.call('tasks_list'))
    assert.equal(sent.length, 1)
    await host.call('tasks_list')
    for (let tries = 0; tries < 100 && kept.length === 0; tries++) await wait(50)
    assert.deepEqual(kept.splice(0), [['tasks_list ok', 'tasks_list ok']])
  })

  test('get a few hundred notes at a time, in the order of the calls; a stop loses none', async t => {
    const numbered = observing()
    const busy = await testHost(t, { engine, plugins: [numbered.plugin], only: ['items'] })
    await busy.call('search_help')
    const [{ actor } = assert.fail()] = numbered.calls
    const finish = (n: number): void =>
      busy.calls.onFinished!({
        tool: `tool_${n}`,
        toolClass: 'R',
        actor,
        at: new Date(),
        input: {},
        result: null,
        ok: true,
        error: null,
      })
    let turns = 0
    let counting = true
    const count = (): void => {
      turns++
      if (counting) setImmediate(count)
    }
    for (let n = 0; n < 1000; n++) finish(n)
    setImmediate(count)
    await busy.calls.flush()
    counting = false
    assert.ok(turns >= 3)
    for (let n = 1000; n < 1100; n++) finish(n)
    await busy.close()
    assert.ok(numbered.kept.every(records => records.length <= 250))
    const names = numbered.kept.flat().filter(record => record.startsWith('tool_'))
    assert.deepEqual(
      names,
      Array.from({ length: 1100 }, (_, n) => `tool_${n} ok`),
    )
  })

  test('that fail affect neither the call nor other observers', () => {
    for (const broken of ['record', 'store']) assert.ok(lines.some(line => line.includes(`cannot ${broken}`)))
  })

  test('finish before the host stops', async () => {
    await host.call('tasks_list')
    await host.close()
    assert.deepEqual(kept, [['tasks_list ok']])
  })
})
