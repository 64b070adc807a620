import assert from 'node:assert/strict'
import { before, test, type TestContext } from 'node:test'
import type { JsonSchema } from '../arguments.ts'
import { eachCall, KEY } from '../bench/statements.ts'
import { forEachEngine } from '../engines.ts'
import { crawl } from '../plugins/portal/crawl.ts'
import { portalHost, type Browser } from '../plugins/portal/portal-host.ts'
import { portalPages } from '../../plugins/portal/points.ts'
import { addActors, type Actors } from './actors.ts'
import { callWithConfirmation, hashToUnit, isLikely, maskTyped, maskVolatile, textParameters } from './cells.ts'
import { hiddenAddresses, namingReadings, namingTerms, readingsOf, type Call, type Reading } from './readings.ts'
import { rowsOf } from './owned-rows.ts'
import { listenAs, recordAddresses, threadAnswers } from './channels.ts'
import { addHidden, changeHidden, MARKER, share, type Actor, type Hidden } from './world.ts'
import { recordFigures } from '../trust/figures.ts'

/** Whether to test all cells; otherwise ISOLATION is the share of cells with names, from 0 to 1. */
const WHOLE = process.env['ISOLATION'] === 'whole'
/** Share of the likely cells. Readings of the actors are always tested completely. */
const SHARE = WHOLE ? 1 : Number(process.env['ISOLATION'] ?? 0.03)

const START = Date.parse('2026-06-09T01:00:00Z')

/**
 * The isolation matrix: all callers who may not see a project of the owner, on every tool, parameter, filter, address and page. The calls
 * are derived from the registry, so the matrix covers new tools automatically.
 */
forEachEngine('isolation', engine => {
  const portal = portalHost(engine, {
    // A fast machine would exceed the rate limits of a credential.
    config: { plugins: { project_admin: {}, portal: {} }, limits: { requests_per_minute: 0, writes_per_minute: 0 } },
    now: () => new Date(START + performance.now()),
  })
  const calls: Call[] = []
  let actors: Actors
  let hidden: Hidden
  let readings: readonly Reading[]
  /** First answer of each reading, before the hidden records exist. */
  const first = new Map<string, string>()
  let cells = 0
  const failures: string[] = []
  /** Records a cell. An answer must never contain the marker. */
  const cell = (where: string, text: string, problem: string | false = false): void => {
    cells++
    const at = text.toLowerCase().indexOf(MARKER)
    if (problem !== false) failures.push(`${where}: ${problem}`)
    else if (at >= 0) failures.push(`${where}: shows ${text.slice(Math.max(0, at - 120), at + 60)}`)
  }
  const report = (t: TestContext, promise: string): void => {
    t.diagnostic(`${cells} cells, ${failures.length} failures`)
    recordFigures(promise, { cells, failures: failures.length })
    const found = failures.splice(0)
    cells = 0
    assert.equal(found.length, 0, `${found.length} failures:\n${found.slice(0, WHOLE ? 400 : 40).join('\n')}`)
  }

  before(async () => {
    const { host } = portal
    const found: Call[] = []
    await eachCall(
      host,
      4,
      async (tool, kind, args) => {
        found.push({ tool, kind, args })
        // At this point no call has been made, and only one sprint can be active at a time.
        if (tool === 'sprints_close') await host.call('sprints_update', { ...args, status: 'planning' })
      },
      async () => {
        actors = await addActors(portal)
      },
    )
    calls.push(...found)
    // A rejected credential would get the same answers, whatever is hidden.
    for (const actor of actors.all) assert.ok((await listed(actor)).length > 0)
    readings = readingsOf(host, calls)
    const look = async (actor: Actor): Promise<void> => {
      for (const [what, read] of readings)
        if (isRead(actor, what)) first.set(`${actor.name} ${what}`, comparable(await read(actor)))
    }
    const former = actors.all.find(({ name }) => name === 'former member')!
    await look(former)
    await share(host, KEY, actors.former.userId, 'editor')
    await host.call('discussions_create', { item_ref: `${KEY}#2`, body: '@person3 look', kind: 'fact' })
    await share(host, KEY, actors.former.userId, null)
    // The item with links to hidden items is the last changed item, both before and after.
    await host.call('items_patch', { item_ref: `${KEY}#2`, priority: 'high' })
    for (const actor of actors.all) if (actor !== former) await look(actor)
    hidden = await addHidden(host)
    for (const actor of actors.all) assert.ok((await listed(actor)).length > 0)
  })

  test('hidden records change no list, count, filter, facet, resource or completion', async t => {
    for (const actor of actors.all)
      for (const [what, read] of readings) {
        if (!isRead(actor, what)) continue
        const text = await read(actor)
        const [was, is] = [first.get(`${actor.name} ${what}`)!, comparable(text)]
        // Some refusals quote the typed word.
        cell(
          `${actor.name}, ${what}`,
          what.toLowerCase().includes(MARKER) ? '' : text,
          was !== is && difference(was, is),
        )
      }
    report(t, 'isolation.readings')
  })

  test('no page of the portal shows or reveals hidden records', async t => {
    const { host } = portal
    const paths = host.registry.all(portalPages).map(({ path }) => path)
    const addresses = hiddenAddresses(paths, hidden.pairs).filter(([address]) => WHOLE || hashToUnit(address) < 0.05)
    for (const [name, browser] of actors.browsers) {
      const { pages } = await crawl(host, browser, ['/', '/projects', '/settings'])
      for (const [address, page] of pages) cell(`${name}, page ${address}`, page.text)
      for (const [some, none] of addresses) {
        const [a, b] = [await pageAt(browser, some), await pageAt(browser, none)]
        cell(`${name}, page ${some}`, '', !isSameAnswer(a, b) && difference(...typeless(a, b)))
      }
    }
    report(t, 'isolation.pages')
  })

  test('no stream reports changes of hidden records', async t => {
    const { host } = portal
    const addresses = recordAddresses(host, hidden.pairs)
    const owner = await listenAs(host, host.token, addresses.hidden)
    const streams = await Promise.all(
      actors.all.map(async actor => ({
        actor,
        some: await listenAs(host, actor.token, addresses.hidden),
        none: await listenAs(host, actor.token, addresses.absent),
      })),
    )
    await changeHidden(host)
    await owner.quiet()
    for (const { actor, some, none } of streams) {
      compare(`${actor.name}, accepted addresses`, JSON.stringify(some.accepted), JSON.stringify(none.accepted))
      const received = some.receivedUris()
      for (const address of addresses.hidden)
        cell(`${actor.name}, stream ${address}`, '', received.includes(address) && 'a change is reported')
    }
    for (const { drop } of [owner, ...streams.flatMap(({ some, none }) => [some, none])]) drop()
    report(t, 'isolation.streams')
  })

  test('threads of others get the same answer as threads that do not exist', async t => {
    const { host } = portal
    for (const actor of actors.all)
      for (const [where, theirs, nobodys] of await threadAnswers(host, actor)) {
        cell(`${actor.name}, ${where}`, theirs)
        compare(`${actor.name}, ${where}`, theirs, nobodys)
      }
    report(t, 'isolation.threads')
  })

  test('a hidden name gets the same answer as an unknown name, and strangers change nothing', async t => {
    const { host } = portal
    const [strangers, members] = [actors.all.filter(isStranger), actors.all.filter(actor => !isStranger(actor))]
    const owned = await rowsOf(host)
    await tryNames(strangers)
    assert.deepEqual(await rowsOf(host), owned)
    const rows = await rowsOf(host, hidden.ids)
    await tryNames(members)
    const after = new Set(await rowsOf(host, hidden.ids))
    assert.deepEqual(
      rows.filter(row => !after.has(row)),
      [],
    )
    report(t, 'isolation.names')
  })

  async function tryNames(group: readonly Actor[]): Promise<void> {
    for (const actor of group) await tryReadings(actor)
    // Reading tools run before tools that may write the names, and parameters for references before parameters for free text.
    for (const [reads, likely] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const)
      for (const actor of group) await tryTools(actor, reads, likely)
  }

  /** Names that a call has written to visible records; finding them no longer reveals hidden records. */
  const writtenNames = new Set<string>()

  async function tryTools(actor: Actor, reads: boolean, likely: boolean): Promise<void> {
    if (!WHOLE && !likely) return
    const { tools } = portal.host.registry
    const shown = new Set((await listed(actor)).map(({ name }) => name))
    for (const { tool, kind, args } of calls) {
      if (!shown.has(tool) || (kind === 'R') !== reads) continue
      for (const parameter of textParameters(tools.get(tool)!.input as JsonSchema))
        for (const pair of hidden.pairs) {
          const where = `${actor.name}, ${tool} ${parameter.name}, ${pair.kind}`
          if (isLikely(parameter.name, pair) !== likely || hashToUnit(where) > SHARE) continue
          if ([...writtenNames].some(name => pair.hidden.includes(name))) continue
          const answer = async (text: string): Promise<string> =>
            (await callWithConfirmation(actor, tool, parameter.put(args, text))).text
          const none = await answer(pair.absent)
          const some = await answer(pair.hidden)
          const again = reads || isSameAnswer(some, none) ? none : await answer(pair.absent)
          // The first call may have written the last record that a limit allows.
          if (!reads && ![none, some, again].every(isRefusal)) writtenNames.add(pair.hidden)
          compare(where, some, again, !reads)
        }
    }
  }

  async function tryReadings(actor: Actor): Promise<void> {
    const { host } = portal
    for (const pair of hidden.pairs) {
      if (hashToUnit(`${actor.name} ${pair.kind}`) > 4 * SHARE) continue
      const [some, none] = [namingTerms(host, pair.hidden), namingTerms(host, pair.absent)]
      const read = async (q: string): Promise<string> =>
        (await callWithConfirmation(actor, 'tasks_list', { q, include_total: true })).text
      for (const [n, q] of some.entries()) compare(`${actor.name}, filter ${q}`, await read(q), await read(none[n]!))
      const [theirs, nobodys] = [namingReadings(host, pair.hidden), namingReadings(host, pair.absent)]
      for (const [n, [what, look]] of theirs.entries())
        compare(`${actor.name}, ${what}`, await look(actor), await nobodys[n]![1](actor))
    }
  }

  /** @param maybe whether the calls may have written; then the counters in their answers may differ */
  function compare(where: string, some: string, none: string, maybe = false): void {
    const wrote = maybe && !isRefusal(some) && !isRefusal(none)
    cell(where, '', !wrote && !isSameAnswer(some, none) && difference(...typeless(some, none)))
  }
})

/** Removes the typed words from answers. */
const typeless = (...texts: readonly [string, string]): readonly [string, string] =>
  texts.map(text => maskTyped(maskVolatile(text))) as [string, string]

const isRefusal = (text: string): boolean => text.startsWith('{"code"')
const isStranger = ({ stranger }: Actor): boolean => stranger

function isSameAnswer(some: string, none: string): boolean {
  const [a, b] = typeless(some, none)
  return a === b
}

/** In a normal run, only the most different actors read everything. */
function isRead({ name }: Actor, what: string): boolean {
  return (
    WHOLE ||
    ['editor', 'credential for one project', 'former member'].includes(name) ||
    hashToUnit(`${name} ${what}`) < 0.2
  )
}

async function listed(actor: Actor): Promise<{ name: string }[]> {
  const { status, body } = await actor.rpc('tools/list')
  assert.equal(status, 200, `${actor.name}: ${JSON.stringify(body)}`)
  return body.result.tools
}

async function pageAt(browser: Browser, address: string): Promise<string> {
  const { status, location, text } = await browser.get(address)
  return `${status} ${location} ${text.replaceAll(/name="(?:proof|once)"\s+value="[^"]+"/g, '').replaceAll(/nonce-[\w+/=]+|nonce="[^"]+"/g, '')}`
}

/** Removes the conversations from an answer, because every call adds to them. */
function comparable(text: string): string {
  return maskVolatile(text.replace(/,"conversations":\[.*?\](?=,"|\})/, ''))
}

/** Shows where two texts differ. */
function difference(was: string, is: string): string {
  let at = 0
  while (was[at] === is[at]) at++
  const from = Math.max(0, at - 60)
  return `…${was.slice(from, at + 100)}… became …${is.slice(from, at + 100)}…`
}
