import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadConfig } from '../../../core/host/config/load.ts'
import { loadPlugins } from '../../../core/host/config/plugins.ts'
import { createTestDatabase } from '../../../core/testing/database.ts'
import { VERSION } from '../../../core/plugin/version.ts'
import { noPostgres } from '../../engines.ts'
import { startInstance } from '../../faults/instance.ts'

const ROOT = join(import.meta.dirname, '../../..')

describe('a release', () => {
  test('has one version in package.json, the changelog and every plugin', async () => {
    const text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)
    assert.equal(headings[0], '[Unreleased]')
    assert.match(headings[1]!, /^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/)
    assert.ok(
      headings[1]!.startsWith(`[${VERSION}] `),
      `the last release is ${headings[1]}, package.json has ${VERSION}`,
    )
    assert.equal(new Set(headings).size, headings.length)
    const config = await loadConfig(undefined, { plugins: { project_admin: {} } })
    for (const { plugin } of await loadPlugins(config, ROOT))
      assert.equal(plugin.spec.version, VERSION, plugin.spec.name)
  })

  const base = noPostgres ? null : lastRelease()
  const skip = noPostgres || (base === null && 'needs the git history up to the last release')
  test('serves next to this version on one database, before and after its migrations', { skip }, async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-release-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const released = join(folder, 'released')
    execFileSync('sh', ['-c', `mkdir "$1" && git archive "$2" | tar -x -C "$1"`, 'sh', released, base!], { cwd: ROOT })
    symlinkSync(join(ROOT, 'node_modules'), join(released, 'node_modules'))
    const { url, drop } = await createTestDatabase({ empty: true })
    t.after(drop)
    const start = async (root: string) => {
      const instance = await startInstance({ root, dataDir: join(folder, 'data'), databaseUrl: url })
      t.after(instance.kill)
      return instance
    }
    const older = await start(released)
    const create = async ({ call }: typeof older, title: string): Promise<string> => {
      const answer = await call('items_create', { project_key: 'INBOX', title, labels: ['moved'] })
      assert.ok(answer?.ok, JSON.stringify(answer))
      return (answer.data['item'] as { ref: string }).ref
    }
    const titles = async ({ call }: typeof older): Promise<readonly string[]> => {
      const answer = await call('tasks_list', { project_key: 'INBOX', q: 'label:moved' })
      assert.ok(answer?.ok, JSON.stringify(answer))
      return (answer.data['items'] as { title: string }[]).map(({ title }) => title).toSorted()
    }
    await create(older, 'before')
    const newer = await start(ROOT)
    const made = [await create(older, 'by the older'), await create(newer, 'by the newer')]
    assert.deepEqual(await titles(older), await titles(newer))
    assert.equal((await titles(older)).length, 3)
    for (const [instance, item_ref] of [
      [older, made[1]],
      [newer, made[0]],
    ] as const) {
      const answer = await instance.call('items_complete', { item_ref })
      assert.ok(answer?.ok, JSON.stringify(answer))
    }
    await older.stop()
    const again = await start(released)
    await create(again, 'after a restart')
    assert.ok((await titles(newer)).includes('after a restart'))
    t.diagnostic(`the older one is ${base!.slice(0, 12)}`)
  })
})

/**
 * Finds the commit of the last release: its tag, or the commit that added its heading to the changelog. @returns null if the history does
 * not contain it
 */
function lastRelease(): string | null {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return null
    const tag = git('tag', '--list', `v${VERSION}`)
    return (
      tag ||
      git('log', '--format=%H', '--reverse', '-S', `## [${VERSION}] - `, '--', 'CHANGELOG.md').split('\n')[0] ||
      null
    )
  } catch {
    return null
  }
}
