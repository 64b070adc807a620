import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { embedJob } from '../../../plugins/search/jobs.ts'
import { forEachEngine } from '../../engines.ts'
import { readPassages, writeNotes } from './passages.ts'
import { line, measure, MODES } from './recall.ts'

/** Samples every nth question, which gives 30, 30 and 635 questions; `recall.ts` asks all 4,442. */
const EVERY = { fulltext: 150, semantic: 150, hybrid: 7 } as const
/** The embedded engine ranks with the same statement but slower. It gets a fifth of the questions, so a single question has more weight. */
const EMBEDDED = { every: 35, at1: 0.86, at10: 0.95 }

forEachEngine('Japanese passages', engine => {
  const passages = readPassages()
  const every = (mode: (typeof MODES)[number]): number =>
    engine === 'pglite' && mode === 'hybrid' ? EMBEDDED.every : EVERY[mode]
  test('questions find the passage that answers them', { skip: !passages && 'TEST_DATA_DIR is not set' }, async t => {
    const host = await testHost(t, { engine, config: { plugins: { search: {} } } })
    const numbers = await host.write(ctx => writeNotes(ctx, host.userId, passages!.notes))
    // The full-text index exists before the vectors. Embedding everything at once is faster, but needs one long statement.
    const index = () => host.write(ctx => embedJob.run(ctx, {}))
    await (host.database.embedded?.withoutLimit(index) ?? index())
    await host.sql`analyze`
    for (const mode of MODES) {
      const questions = passages!.questions.filter((_question, n) => n % every(mode) === 0)
      const recall = await measure(host, mode, questions, numbers)
      t.diagnostic(`${engine}, ${questions.length} questions, ${line(recall)}`)
      if (mode !== 'hybrid') continue
      assert.ok(recall.at1 >= (engine === 'pglite' ? EMBEDDED.at1 : 0.9), line(recall))
      assert.ok(recall.at10 >= (engine === 'pglite' ? EMBEDDED.at10 : 0.97), line(recall))
    }
  })
})
