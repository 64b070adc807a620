import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { forEachEngine } from '../engines.ts'
import { allTexts, hostileCalls, newChoice, startService, type Service } from './measure.ts'

/** Milliseconds of processor time that one turn of the event loop may take. */
const LIMIT = 50
/** A collection of garbage, or code that is compiled for the first time, counts once; what is dear is dear each time. */
const ATTEMPTS = 4
const SHOWN = 12
/** `STALLS=whole` tries every text in every parameter, which takes some minutes; usually parameters share them. */
const WHOLE = process.env['STALLS'] === 'whole'

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

  /** Measures again what took too long. */
  const measure = async (what: string, work: () => Promise<unknown>): Promise<Stall> => {
    let milliseconds = Infinity
    for (let n = 0; n < ATTEMPTS && milliseconds > LIMIT; n++)
      milliseconds = Math.min(milliseconds, await service.watch(work))
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
})
