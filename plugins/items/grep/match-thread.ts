import { defineThread } from 'tasuki/plugin'
import { matchTask, type MatchTask } from './match-worker.ts'
import type { Snippets } from './snippets.ts'

const thread = defineThread(import.meta.url, './match-worker', { idleMs: 10_000 })

/** Searches a text with a regular expression in a worker thread: one match may take as long as the text times the expression. */
export async function matchInThread(task: MatchTask): Promise<Snippets> {
  const pool = await thread()
  return (await pool.run(task, { name: matchTask.name })) as Snippets
}
