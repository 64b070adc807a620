import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'tasuki/plugin'
import { forEachEngine } from '../../engines.ts'
import { sharedHost } from '../../shared-host.ts'
import { verifies } from '../../verifies.ts'
import { newTeam, type Team } from '../sprints/team.ts'
import { longestTurn } from '../../longest-turn.ts'

forEachEngine('agile_estimate_suggest', engine => {
  const host = sharedHost(engine, { config: { plugins: { project_admin: {}, estimation: {} } } })
  async function finished(app: Team, title: string, value: string, status?: string): Promise<string> {
    const ref = await app.item(title)
    await app.call('agile_meta_patch', { item_ref: ref, estimate: value })
    if (status === undefined) await app.call('items_complete', { item_ref: ref })
    else await app.call('items_move_state', { item_ref: ref, status_definition_id: status })
    return ref
  }

  verifies(
    'agile_estimate_suggest.suggests',
    'open tasks without an estimate get a value, a range, a confidence and the finished tasks it rests on; nothing is written',
    async () => {
      const app = await newTeam(host)
      const login: string[] = []
      for (let n = 0; n < 4; n++) {
        login.push(await finished(app, `Login form: error message ${n}`, '2'))
        await finished(app, `Migrate the database of reports ${n}`, '8')
      }
      // Dropped, so its estimate was never confirmed.
      await finished(app, 'Login form: error message, given up', '100', "Won't fix")
      const open = await app.item('Login form: another error message')
      const other = await app.item('Migrate the database of invoices', { priority: 'urgent' })
      const sized = await app.item('Has one already')
      await app.call('agile_meta_patch', { item_ref: sized, estimate: '1' })
      const before = await app.call('tasks_list', { limit: 100 })
      const { suggestions, unit, median, finished_count, has_more } = await app.in('agile_estimate_suggest', {})
      assert.deepEqual([unit, median, finished_count, has_more], ['points', 2, 8, false])
      const [first, second] = suggestions
      assert.deepEqual([first.item_ref, first.value], [other, '8'])
      assert.deepEqual([second.item_ref, second.value], [open, '2'])
      assert.equal(suggestions.length, 2)
      assert.deepEqual(
        Object.entries(second.basis).map(([ref, estimate]) => [login.includes(ref), estimate]),
        [
          [true, 2],
          [true, 2],
          [true, 2],
        ],
      )
      assert.match(second.most_alike, /^Login form: error message \d$/)
      assert.ok(second.likeness > 0.5 && second.likeness < 1)
      assert.ok(second.range.low <= 2 && second.range.high >= 2)
      assert.ok(second.confidence > 0.4 && second.confidence < 1)
      assert.deepEqual(await app.call('tasks_list', { limit: 100 }), before)
      const { item_ref, value } = first
      await app.in('agile_estimate_apply', { estimates: [{ item_id: item_ref, value }] })
      assert.equal((await app.in('agile_estimate_suggest', {})).suggestions.length, 1)
    },
  )

  test('kind, labels and parent are learnt from', async () => {
    const app = await newTeam(host)
    const parent = await app.item('Rewrite')
    for (let n = 0; n < 12; n++) {
      for (const [value, fact] of [
        ['1', { kind: 'bug' }],
        ['13', { labels: ['migration'] }],
        ['5', { parent }],
      ] as const) {
        const ref = await app.item(`topic${n * 3 + Number(value)}`, fact)
        await app.call('agile_meta_patch', { item_ref: ref, estimate: value })
        await app.call('items_complete', { item_ref: ref })
      }
    }
    await app.call('agile_meta_patch', { item_ref: parent, estimate: '20' })
    const refs = [await app.item('new', { kind: 'bug' }), await app.item('other', { labels: ['migration'] })]
    refs.push(await app.item('third', { parent }))
    const { suggestions } = await app.in('agile_estimate_suggest', {})
    const valueOf = new Map(suggestions.map((each: { item_ref: string; value: string }) => [each.item_ref, each.value]))
    assert.deepEqual(
      refs.map(ref => valueOf.get(ref)),
      ['1', '13', '5'],
    )
  })

  test('with 5,000 estimated tasks a call blocks the event loop for at most 50 ms, and reads the last thousand', async t => {
    const app = await newTeam(host)
    const first = Number((await finished(app, 'First', '3')).split('#')[1])
    await app.item('word1 thing2 part3')
    const from = first + 2
    // In batches: on a loaded machine a single statement would exceed the statement timeout.
    for (let number = from; number < from + 4999; number += 500)
      await host.write(ctx =>
        sql`
      with copy as (
        insert into items.items select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'number', n,
          'title', 'word' || n % 37 || ' thing' || n % 101 || ' part' || n % 211,
          'detail', (select string_agg('w' || (n * k) % 4001, ' ') from generate_series(1, 60) k)))).*
        from items.items i, generate_series(${number}::int, ${Math.min(number + 499, from + 4998)}::int) n
        where i.owner_id = ${app.userId} and i.number = ${first}
        returning owner_id, id, number)
      insert into estimation.estimates (owner_id, item_id, value, updated_at)
      select owner_id, id, (array[1, 2, 3, 5, 8, 13, 21])[1 + number % 7], now() from copy`.execute(ctx.db),
      )
    let stall = Infinity
    // Retried, because the first attempt includes compilation.
    for (let attempt = 0; attempt < 4 && stall > 50; attempt++)
      stall = await longestTurn(async () => {
        const { suggestions, finished_count } = await app.in('agile_estimate_suggest', {})
        assert.deepEqual([suggestions.length, finished_count], [1, 1000])
      })
    t.diagnostic(`${stall.toFixed(0)} ms`)
    assert.ok(stall <= 50, `${stall} ms`)
  })

  test('it reports too little history, and an empty request', async () => {
    const app = await newTeam(host)
    await finished(app, 'one', '1')
    const none = await app.in('agile_estimate_suggest', {})
    assert.deepEqual([none.suggestions, none.reason], [[], 'Every open task of APP has an estimate.'])
    for (let n = 0; n < 22; n++) await app.item(`open ${n}`)
    const few = await app.in('agile_estimate_suggest', {})
    assert.deepEqual(
      [few.suggestions, few.reason],
      [[], 'APP has 1 finished tasks with an estimate; suggestions need 5.'],
    )
    for (let n = 0; n < 4; n++) await finished(app, `more ${n}`, '1')
    const full = await app.in('agile_estimate_suggest', {})
    assert.deepEqual([full.suggestions.length, full.has_more], [20, true])
    assert.equal(full.worth, 'Too few finished tasks to tell whether it beats the median.')
    await app.in('projects_update', { estimate_unit: 'none' })
    await assert.rejects(app.in('agile_estimate_suggest', {}), { code: 'conflict', hint: /in the portal/ })
    await assert.rejects(app.call('agile_estimate_suggest', { project_key: 'NONE' }), { code: 'not_found' })
  })
})
