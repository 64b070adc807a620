import { startHost, type TestHost } from 'tasuki/testing'
import { embedJob } from '../../../plugins/search/jobs.ts'
import { startPostgres } from '../../postgres.ts'
import { readPassages, writeNotes, type Passages } from './passages.ts'

export const MODES = ['fulltext', 'semantic', 'hybrid'] as const

/** Questions under way. */
const AT_ONCE = 2

export interface Recall {
  readonly mode: string
  /** Share of questions whose passage came first, and among the first ten. */
  readonly at1: number
  readonly at10: number
  /** Milliseconds per question, in the middle. */
  readonly ms: number
}

/** Asks every question in one mode. */
export async function measure(
  host: Pick<TestHost, 'call'>,
  mode: string,
  questions: Passages['questions'],
  numbers: readonly number[],
): Promise<Recall> {
  let [first, ten] = [0, 0]
  const times: number[] = []
  const ask = async ({ text, note }: Passages['questions'][number]): Promise<void> => {
    const began = performance.now()
    const { items } = (await host.call('query', { q: quoted(text), mode, limit: 10 })) as { items: { ref: string }[] }
    times.push(performance.now() - began)
    const place = items.findIndex(({ ref }) => ref === `INBOX#${numbers[note]}`)
    if (place === 0) first++
    if (place >= 0) ten++
  }
  for (let n = 0; n < questions.length; n += AT_ONCE) await Promise.all(questions.slice(n, n + AT_ONCE).map(ask))
  const middle = times.toSorted((a, b) => a - b)[times.length >> 1]!
  return { mode, at1: first / questions.length, at10: ten / questions.length, ms: middle }
}

/** A question as free text: some hold a colon or a bracket, which mean something else in a query. */
function quoted(text: string): string {
  return text
    .replaceAll(/[:：()（）"“”]/g, ' ')
    .replaceAll(/(^|\s)[-－](?=\S)/g, '$1')
    .trim()
}

export function line({ mode, at1, at10, ms }: Recall): string {
  return `${mode.padEnd(9)} recall@1 ${at1.toFixed(4)}  recall@10 ${at10.toFixed(4)}  ${ms.toFixed(1)} ms`
}

// node --conditions=tasuki-source test/plugins/search/recall.ts [pglite|postgres] [every nth question] [auto|exact] [modes]
if (import.meta.main) {
  const passages = readPassages()
  if (!passages) throw new Error('set TEST_DATA_DIR')
  const [engine = 'pglite', nth = '1', vectors = 'auto', modes = MODES.join(',')] = process.argv.slice(2)
  const server = engine === 'postgres' ? await startPostgres() : null
  if (server) process.env['TEST_DATABASE_URL'] = server.url
  const { host, close } = await startHost({
    engine: engine === 'postgres' ? 'postgres' : 'pglite',
    config: { plugins: { search: { vectors } } },
  })
  try {
    const began = performance.now()
    const numbers = await host.write(ctx => writeNotes(ctx, host.userId, passages.notes))
    await host.write(ctx => embedJob.run(ctx, {}))
    await host.sql`analyze`
    console.log(`${numbers.length} notes indexed in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    const questions = passages.questions.filter((_question, n) => n % Number(nth) === 0)
    console.log(`${questions.length} questions, ${engine}, vectors ${vectors}`)
    for (const mode of modes.split(',')) console.log(line(await measure(host, mode, questions, numbers)))
  } finally {
    await close()
    await server?.stop()
  }
}
