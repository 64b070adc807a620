import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { forEachEngine } from '../engines.ts'
import type { Page } from '../plugins/portal/portal-host.ts'
import { crawlPages } from '../plugins/portal/crawl.ts'
import { MARKDOWN, TEXTS } from './corpus.ts'
import {
  allTexts,
  hostileCalls,
  hostileForms,
  hostileRequests,
  newChoice,
  startService,
  type Service,
} from './measure.ts'

/** Milliseconds of processor time that one turn of the event loop may take. */
const LIMIT = 50
/** Garbage collection and compilation affect a single attempt; an expensive input is slow in every attempt. */
const ATTEMPTS = 4
const SHOWN = 12
/** `STALLS=whole` tries every text in every parameter, which takes some minutes; otherwise parameters share the texts. */
const WHOLE = process.env['STALLS'] === 'whole'

/** Length of the longest text of a call in characters, and number of calls that fill the body of an item. */
const PART = 32_000
const PARTS = 3
/** Pages are tested with one of this many texts, and with the texts that are expensive for pages, each with a number of comments. */
const SHARE = 8
const EXPENSIVE: ReadonlyMap<string, number> = new Map([
  ['"\\n" …', 1],
  ['"&" …', 30],
  ['pictures', 1],
  ['tables', 30],
  ['a table that shrinks', 1],
  ['a definition that is used', 30],
])

/** A field of a form gets one of this many texts, which is one or two. */
const FORM_TURNS = 60

interface Stall {
  readonly what: string
  readonly milliseconds: number
}

forEachEngine('the longest stall of the event loop', engine => {
  let service: Service
  before(async () => {
    service = await startService(engine)
  })
  after(() => service.close())

  /** Measures again, and exactly, if the result is above the limit. */
  const measure = async (what: string, work: () => Promise<unknown>): Promise<Stall> => {
    let milliseconds = Infinity
    for (let n = 0; n < ATTEMPTS && milliseconds > LIMIT; n++)
      milliseconds = Math.min(milliseconds, await service.watch(work, n > 0))
    return { what, milliseconds }
  }
  const report = (t: TestContext, stalls: readonly Stall[]): void => {
    const sorted = stalls.toSorted((a, b) => b.milliseconds - a.milliseconds)
    const rows = sorted
      .slice(0, SHOWN)
      .map(({ what, milliseconds }) => `${milliseconds.toFixed(0).padStart(6)} ms  ${what.slice(0, 120)}`)
    t.diagnostic(`${stalls.length} measured, the longest:\n${rows.join('\n')}`)
    assert.deepEqual(
      sorted.filter(({ milliseconds }) => milliseconds > LIMIT),
      [],
    )
  }

  test('no argument of any tool holds the process longer than 50 ms', async t => {
    const choose = WHOLE ? allTexts : newChoice()
    const stalls: Stall[] = []
    const failed: string[] = []
    for (let next = await service.nextTool(); next; next = await service.nextTool())
      for (const { what, tool, args } of hostileCalls(next.tool, next.args, next.input, choose))
        stalls.push(
          await measure(what, async () => {
            const { error } = await service.call(tool, args).catch((refusal: Error) => ({ error: refusal }))
            if (error?.status === 503 || /^(internal|unavailable)$/.test(error?.code))
              failed.push(`${what}: ${error.message}`)
          }),
        )
    report(t, stalls)
    assert.deepEqual(failed, [])
  })

  test('no page of the portal holds the process longer than 50 ms', async t => {
    const stalls: Stall[] = []
    const failed: string[] = []
    const open = async (address: string, text: string): Promise<Page> => {
      let page: Page
      const what = `${address} ${text}`
      stalls.push(await measure(what, async () => (page = await service.open(address))))
      if (page!.status >= 400) failed.push(`${what}: ${page!.status}`)
      return page!
    }
    const texts = [...TEXTS, ...MARKDOWN].filter(({ name }, n) => WHOLE || n % SHARE === 0 || EXPENSIVE.has(name))
    for (const { name, make } of texts) {
      const address = await makeItem(make, EXPENSIVE.get(name) ?? 1)
      await open(address, name)
      await open(`${address}/comments`, name)
      const { text } = await open(`${address}/revisions`, name)
      const revisions = [...text.matchAll(/href="([^"]*\/revisions\/[^"]+)"/g)].map(([, href]) => href!)
      for (const revision of [revisions[0]!, revisions.at(-1)!]) {
        await open(revision, name)
        await open(`${revision}?view=side`, name)
      }
    }
    const { pages } = await crawlPages(service.pages, { get: address => open(address, '') }, ['/'])
    t.diagnostic(`${pages.size} pages were opened besides`)
    report(t, stalls)
    assert.deepEqual(failed, [])
  })

  test('no other method of the protocol holds the process longer than 50 ms', async t => {
    const stalls: Stall[] = []
    for await (const { what, method, params } of hostileRequests(service))
      stalls.push(await measure(what, () => service.rpc(method, params).catch(() => undefined)))
    assert.ok(stalls.length > 40, `${stalls.length} requests`)
    report(t, stalls)
  })

  test(
    'no form of the portal holds the process longer than 50 ms',
    { timeout: WHOLE ? 1_800_000 : undefined },
    async t => {
      const { forms } = await crawlPages(service.pages, { get: service.open }, ['/'])
      const choose = WHOLE ? allTexts : newChoice(FORM_TURNS)
      const stalls: Stall[] = []
      const failed: string[] = []
      for (const { what, address, body } of forms.flatMap(form => [...hostileForms(form, choose)]))
        stalls.push(
          await measure(what, async () => {
            const { status } = await service.send(address, body)
            if (status >= 500 || status === 403) failed.push(`${what}: ${status}`)
          }),
        )
      assert.ok(stalls.length > 100, `${stalls.length} fields of ${forms.length} forms`)
      report(t, stalls)
      assert.deepEqual(failed, [])
    },
  )

  /** Creates an item with the longest text, another former text, and the longest comments. @returns the address of its page */
  async function makeItem(make: (size: number) => string, comments: number): Promise<string> {
    const { call } = service
    const short = 'few\nlines\n'.repeat(PART / 10)
    const { item } = await call('items_create', { project_key: 'INBOX', title: 'Hostile', detail: short })
    const item_ref: string = item.ref
    const text = make(PARTS * PART)
    await call('items_rewrite_detail', { item_ref, new_detail: text.slice(0, PART), instruction: 'test' })
    for (let n = 1; n < PARTS; n++)
      await call('items_patch', { item_ref, detail_append: text.slice(n * PART, (n + 1) * PART) || '.' })
    const body = make(PART)
    for (let n = 0; n < comments; n++) await call('discussions_create', { item_ref, body })
    return `/projects/INBOX/items/${item_ref.split('#')[1]}`
  }
})
