import { startHost, type TestHost } from 'tasuki/testing'
import { embedJob } from '../../../plugins/search/jobs.ts'
import { startPostgres } from '../../postgres.ts'
import { bm25 } from './baseline.ts'
import { readCollections } from './collections.ts'
import { chances } from './package-texts.ts'
import { writeNotes, type Passages } from './passages.ts'

export const MODES = ['fulltext', 'semantic', 'hybrid'] as const

/** Number of concurrent questions. */
const AT_ONCE = 2

export interface Recall {
  readonly mode: string
  /** Shares of questions whose passage was first, and among the first ten. */
  readonly at1: number
  readonly at10: number
  /** Discounted cumulative gain of the first ten results: 1 if the passage is first, less for lower ranks. */
  readonly ndcg: number
  /** What each question adds to it. */
  readonly gains: readonly number[]
  /** Median milliseconds per question. */
  readonly ms: number
}

/** Asks every question in one mode. */
export async function measure(
  host: Pick<TestHost, 'call'>,
  mode: string,
  questions: Passages['questions'],
  numbers: readonly number[],
): Promise<Recall> {
  const places: number[] = []
  const times: number[] = []
  const ask = async ({ text, note }: Passages['questions'][number], n: number): Promise<void> => {
    const began = performance.now()
    const { items } = (await host.call('query', { q: text, mode, limit: 10 })) as { items: { ref: string }[] }
    times.push(performance.now() - began)
    // By question, for the later of two concurrent ones may be answered first, and another ranking is compared question by question.
    places[n] = items.findIndex(({ ref }) => ref === `INBOX#${numbers[note]}`)
  }
  for (let n = 0; n < questions.length; n += AT_ONCE)
    await Promise.all(questions.slice(n, n + AT_ONCE).map((question, at) => ask(question, n + at)))
  return recallOf(mode, places, times)
}

function recallOf(mode: string, places: readonly number[], times: readonly number[]): Recall {
  const share = (worth: (place: number) => number): number =>
    places.reduce((sum, place) => sum + (place < 0 ? 0 : worth(place)), 0) / places.length
  const at1 = share(place => (place === 0 ? 1 : 0))
  const middle = times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
  const gains = places.map(place => (place < 0 ? 0 : 1 / Math.log2(place + 2)))
  return { mode, at1, at10: share(() => 1), ndcg: share(place => 1 / Math.log2(place + 2)), gains, ms: middle }
}

/** Drawings of as many questions with replacement. */
const DRAWINGS = 2000

/** How much more the questions gain than by another ranking, and between what this is in 95 of 100 drawings of the questions. */
function difference(gains: readonly number[], others: readonly number[]): string {
  const differences = gains.map((gain, n) => gain - others[n]!)
  const mean = (draw: (n: number) => number): number =>
    differences.reduce((sum, _difference, n) => sum + differences[draw(n)]!, 0) / differences.length
  const chance = chances(differences.length)
  const drawn = Array.from({ length: DRAWINGS }, () => mean(() => Math.floor(chance() * differences.length)))
  const [low, high] = [0.025, 0.975].map(part => drawn.toSorted((a, b) => a - b)[Math.floor(part * DRAWINGS)]!)
  const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(4)}`
  return `${signed(mean(n => n))} (95 %: ${signed(low!)} to ${signed(high!)})`
}

export function line({ mode, at1, at10, ndcg, ms }: Recall): string {
  const figures = `@1 ${at1.toFixed(4)}  @10 ${at10.toFixed(4)}  nDCG@10 ${ndcg.toFixed(4)}`
  return `${mode.padEnd(9)} ${figures}${ms > 0 ? `  ${ms.toFixed(1)} ms` : ''}`
}

// node --conditions=tasuki-source test/plugins/search/recall.ts [pglite|postgres] [every nth question[:first]] [auto|exact] [modes] [sets]
if (import.meta.main) {
  const [engine = 'pglite', nth = '1', vectors = 'auto', modes = MODES.join(','), sets = ''] = process.argv.slice(2)
  const [every = 1, first = 0] = nth.split(':').map(Number)
  const collections = readCollections(every, first).filter(({ name }) => new RegExp(sets).test(name))
  const server = engine === 'postgres' ? await startPostgres() : null
  if (server) process.env['TEST_DATABASE_URL'] = server.url
  for (const collection of collections) {
    const { name, notes, questions } = collection
    const { host, close } = await startHost({
      engine: engine === 'postgres' ? 'postgres' : 'pglite',
      config: { plugins: { search: { vectors } } },
    })
    try {
      const began = performance.now()
      const numbers = await host.write(ctx => writeNotes(ctx, host.userId, notes))
      await host.write(ctx => embedJob.run(ctx, {}))
      await host.sql`analyze`
      const took = ((performance.now() - began) / 1000).toFixed(1)
      console.log(`${name}: ${notes.length} notes, indexed in ${took} s; ${questions.length} questions`)
      const best = bm25(collection)
      const plain = recallOf(
        'BM25',
        questions.map(({ text, note }) => best(text).indexOf(note)),
        [],
      )
      console.log(`  ${line(plain)}`)
      for (const mode of modes.split(',')) {
        const found = await measure(host, mode, questions, numbers)
        console.log(`  ${line(found)}  ${difference(found.gains, plain.gains)}`)
      }
    } finally {
      await close()
    }
  }
  await server?.stop()
}
