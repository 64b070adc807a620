import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'

const README = readFileSync(join(import.meta.dirname, '../../../core/README.md'), 'utf8')

/** The plugin files that core/README.md lists for an argument. */
function listedFiles(opening: string): readonly string[] {
  const list = README.slice(README.indexOf(opening))
    .split(/\n\n(?=- )/)[1]!
    .split('\n\n')[0]!
  return [...list.matchAll(/^- `(plugins\/[^`]+)`/gm)].map(([, file]) => file!)
}

/** Returns the functions that run during a call, by file of the plugins. */
async function functionsRun(session: Session, run: () => Promise<unknown>): Promise<Map<string, Set<string>>> {
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = new Map<string, Set<string>>()
  for (const { url, functions } of result) {
    const file = /\/(plugins\/[\w/.-]+\.ts)/.exec(url)?.[1]
    const ran = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0)
    if (file && ran.length > 0) files.set(file, new Set(ran.map(({ functionName }) => functionName)))
  }
  return files
}

test('core/README.md lists the files that an argument passes', async t => {
  const host = await testHost(t, {})
  const session = new Session()
  session.connect()
  t.after(() => session.disconnect())
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const day = new Date().toISOString().slice(0, 10)
  await host.call('sprints_create', { project_key: 'INBOX', name: 'S1', start_date: day, end_date: day })
  const item = { project_key: 'INBOX', title: 'Buy milk' }
  const walks = [
    ['`sprint` of `items_create`', 'items_create', item, { ...item, sprint: 'S1' }],
    ['`q` of `tasks_list`', 'tasks_list', {}, { q: 'priority:high' }],
  ] as const
  for (const [opening, tool, without, extended] of walks) {
    // Both calls run once before, to exclude one-time work.
    for (const args of [without, extended]) await host.call(tool, args)
    const rounds: Record<'usual' | 'withArgument', Map<string, Set<string>>>[] = []
    for (let round = 0; round < 3; round++) {
      const usual = await functionsRun(session, () => host.call(tool, without))
      rounds.push({ usual, withArgument: await functionsRun(session, () => host.call(tool, extended)) })
    }
    // Jobs run at any time: a file is passed if the argument runs it in every round, and no call without it does.
    const passed = [...rounds[0]!.withArgument.keys()].filter(file =>
      rounds.every(({ usual, withArgument }) => !usual.has(file) && withArgument.has(file)),
    )
    const listed = listedFiles(opening)
    assert.deepEqual(
      passed.filter(file => !listed.includes(file)),
      [],
      `${opening}: not listed`,
    )
    for (const file of listed) {
      const more = rounds.some(({ usual, withArgument }) =>
        [...(withArgument.get(file) ?? [])].some(name => !usual.get(file)?.has(name)),
      )
      assert.ok(more, `${opening} does not pass ${file}`)
    }
  }
})
