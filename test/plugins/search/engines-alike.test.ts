import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { testHost, type Engine } from 'tasuki/testing'
import { ENGINES, noPostgres } from '../../engines.ts'
import { readQuestions } from './package-texts.ts'
import { ENGLISH, JAPANESE } from './paraphrases.ts'
import { writeNotes, type Passages } from './passages.ts'
import { MODES } from './recall.ts'

/** Every nth paragraph of a documentation is a note, and every nth question of all is asked. */
const [EVERY_NOTE, EVERY_QUESTION] = [10, 6]

/** Returns English paragraphs and short notes in two languages, with questions that have many or few words in common with them. */
function readTexts(): Passages {
  const { notes, questions } = readQuestions()
  const pairs = [...ENGLISH, ...JAPANESE]
  const paragraphs = notes.filter((_note, n) => n % EVERY_NOTE === 0)
  const asked = [
    ...questions
      .filter(({ note }) => note % EVERY_NOTE === 0)
      .map(({ text, note }) => ({ text, note: note / EVERY_NOTE })),
    ...pairs.map((pair, n) => ({ text: pair.asked, note: paragraphs.length + n })),
  ]
  return { notes: [...paragraphs, ...pairs], questions: asked.filter((_question, n) => n % EVERY_QUESTION === 0) }
}

interface Answer {
  readonly items: readonly { readonly ref: string; readonly score: number }[]
  readonly warnings?: readonly string[]
}

/** @returns by mode and question the references of the first ten results, and what the answer warns of */
async function rankAll(t: TestContext, engine: Engine, { notes, questions }: Passages): Promise<Map<string, unknown>> {
  const host = await testHost(t, { engine })
  await host.write(ctx => writeNotes(ctx, host.userId, notes))
  const ranked = new Map<string, unknown>()
  for (const mode of MODES)
    for (const { text } of questions) {
      const { items, warnings } = (await host.call('query', { q: text, mode, limit: 10 })) as Answer
      ranked.set(`${mode}: ${text}`, { refs: items.map(({ ref }) => ref), warnings })
    }
  return ranked
}

test('both databases rank the same texts alike, in every mode', { skip: noPostgres }, async t => {
  const texts = readTexts()
  const [embedded, server] = await Promise.all(ENGINES.map(async engine => rankAll(t, engine, texts)))
  t.diagnostic(`${texts.notes.length} notes, ${texts.questions.length} questions in ${MODES.length} modes`)
  const found = [...embedded!.values()].filter(answer => (answer as { refs: unknown[] }).refs.length > 0)
  assert.ok(found.length > 0.8 * embedded!.size, `${found.length} of ${embedded!.size} questions found something`)
  assert.deepEqual(server, embedded)
})
