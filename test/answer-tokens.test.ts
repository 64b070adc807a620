import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { suiteScope } from './core/suite-scope.ts'
import { forEachEngine } from './engines.ts'
import { verifies } from './verifies.ts'

/** Finished tasks of a small team: title and estimate. */
const FINISHED: readonly (readonly [string, number])[] = [
  ['Show the build number in the footer', 1],
  ['Let people sign in with a passkey', 8],
  ['Send the weekly report on Monday morning', 3],
  ['Cache thumbnails of uploaded pictures', 5],
  ['Correct the sum of invoices with a discount', 2],
  ['Move the staging database to a larger disk', 3],
  ['Translate the sign-in page into Japanese', 2],
  ['Export the list of customers as CSV', 3],
  ['Retry deliveries of webhooks that time out', 5],
  ['Remove the old payment form', 2],
  ['Warn before the certificate of the proxy expires', 3],
  ['Make the search of invoices twice as fast', 8],
]

/** Open tasks without an estimate. */
const OPEN: readonly string[] = [
  'Show the name of the branch in the footer',
  'Let people sign out of all their devices',
  'Send the monthly report as a PDF',
  'Cache the answers of the exchange rate service',
  'Correct the time zone of invoices',
  'Move the log files to object storage',
  'Translate the mails about invoices into Japanese',
  'Export the list of invoices as CSV',
  'Sign deliveries of webhooks',
  'Remove the old list of customers',
  'Renew the certificate of the proxy',
  'Make the list of customers twice as fast',
  'Upload several pictures at once',
  'Ask for a passkey before a payment',
  'Explain why a payment was refused',
  'Delete customers who asked for it',
  'Count the webhooks that failed',
  'Test the backup of the database',
]

const PRIORITIES = ['urgent', 'high', 'normal', 'low']

/** Counts the tokens of an answer, as a model reads it. */
function tokens(answer: unknown): number {
  return encode(JSON.stringify(answer)).length
}

forEachEngine('the account of a small team', engine => {
  const scope = suiteScope()
  let host: TestHost
  before(async () => {
    host = await testHost(scope, { engine })
    await host.command('project create', { key: 'WEB', name: 'Website' })
    await host.command('project create', { key: 'OPS', name: 'Operations' })
    const project = { project_key: 'WEB' }
    for (const [title, points] of FINISHED) {
      const { item } = await host.call('items_create', { ...project, title })
      await host.call('agile_meta_patch', { item_ref: item.ref, estimate: String(points) })
      await host.call('items_complete', { item_ref: item.ref })
    }
    // As in most backlogs, few tasks have a date and about half have a priority.
    for (const [n, title] of OPEN.entries())
      await host.call('items_create', {
        ...project,
        title,
        ...(n % 3 === 0 && { due_date: `2099-12-${n + 10}` }),
        ...(n % 2 === 0 && { priority: PRIORITIES[n % 4] }),
      })
    // Conversations are separate for each credential.
    for (const caller of [await host.credential({ kind: 'human' }), await host.credential({})])
      for (const item_ref of ['WEB#13', 'WEB#14'])
        await caller.call('discussions_create', { item_ref, body: 'Agreed.' })
    await host.calls.flush()
  })

  verifies('results.token_budget', 'a created item takes 90 tokens, a row of a listing 42', async t => {
    const created = await host.call('items_create', {
      project_key: 'OPS',
      title: 'Renew the certificate of the proxy',
      detail: 'It ends on the last day of the year; ask for one that lasts longer.',
      due_date: '2099-12-24',
      priority: 'high',
      labels: ['security'],
    })
    const { items } = await host.call('tasks_list', { project_key: 'WEB', q: 'is:open', limit: 18 })
    assert.equal(items.length, OPEN.length)
    const row = tokens(items) / items.length
    t.diagnostic(`created ${tokens(created)}, row ${row.toFixed(1)}`)
    assert.ok(tokens(created) <= 90, `${tokens(created)} tokens: ${JSON.stringify(created)}`)
    assert.ok(row <= 42, `${row} tokens a row, as ${JSON.stringify(items[0])}`)
  })

  verifies('results.token_budget', 'the overview takes 800 tokens', async t => {
    const overview = await host.call('me_overview')
    assert.equal(overview.conversations.length, 3)
    t.diagnostic(`${tokens(overview)} tokens`)

    assert.ok(tokens(overview) <= 800, `${tokens(overview)} tokens: ${JSON.stringify(overview)}`)
  })

  verifies('results.token_budget', 'suggestions for 18 items take 1,800 tokens', async t => {
    const suggested = await host.call('agile_estimate_suggest', { project_key: 'WEB' })
    assert.equal(suggested.suggestions.length, OPEN.length)
    t.diagnostic(`${tokens(suggested)} tokens`)
    assert.ok(tokens(suggested) <= 1800, `${tokens(suggested)} tokens: ${JSON.stringify(suggested.suggestions[0])}`)
  })
})
