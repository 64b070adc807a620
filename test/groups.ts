import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The slowest files, slowest first. Each one runs in its own process and starts early, so that no file runs alone at the end. */
export const LONGEST = [
  'core/cli.test.ts',
  'third-party.test.ts',
  'faults/faults.test.ts',
  'isolation/matrix.test.ts',
  'core/archive/restore.test.ts',
  'stalls/stalls.test.ts',
  'packaging/install.test.ts',
  'core/archive/backup.test.ts',
  'plugins/portal/every-page.test.ts',
  'names-in-sentences.test.ts',
  'plugins/search/japanese.test.ts',
  'plugins/portal/pages-browser.test.ts',
  'plugins/portal/browser.test.ts',
  'edge-case-arguments.test.ts',
  'core/db/migrations.test.ts',
  'core/cli-usage.test.ts',
  'clients.test.ts',
  'core/db/pglite-durability.test.ts',
  'plugins/attachments/purge.test.ts',
].map(file => join(import.meta.dirname, file))

/** Files per process; they share the time to load the service. */
const AT_MOST = 16

/**
 * Groups test files that run in one process, in sequence.
 * @param files sorted paths
 * @returns the groups in the order in which they should start
 */
export function groupsOf(files: readonly string[], processes: number): readonly (readonly string[])[] {
  const place = (file: string): number => LONGEST.indexOf(resolve(file))
  const alone = files.filter(file => place(file) >= 0).toSorted((a, b) => place(a) - place(b))
  const others = files.filter(file => place(file) < 0)
  const size = Math.min(AT_MOST, Math.ceil(others.length / processes))
  const together = Array.from({ length: Math.ceil(others.length / size) || 0 }, (_, n) =>
    others.slice(n * size, (n + 1) * size),
  )
  return [...alone.map(file => [file]), ...together]
}

/** Resources that a test leaves open would keep the process and the run alive, so the last suite reports them and exits. */
const LAST = `
setTimeout(() => {
  console.error('tests left behind what keeps their process alive:', process.getActiveResourcesInfo().join(', '))
  process.exit(1)
}, 20_000).unref()`

/** Writes one entry file per group, with one suite per test file to separate their hooks and names. @returns the paths */
export function writeGroups(folder: string, groups: readonly (readonly string[])[]): readonly string[] {
  return groups.map((files, n) => {
    const suites = files.map(file => {
      const url = pathToFileURL(resolve(file)).href
      const suite = `describe(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(url)})))`
      return `await measured(${JSON.stringify(file)}, () => ${suite})`
    })
    // The test runner starts files in alphabetical order.
    const path = join(folder, `group-${String(n).padStart(3, '0')}.mjs`)
    const url = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)
    const head = [
      `const { cacheImports } = await import(${url('../core/cli/import-cache.ts')})`,
      `cacheImports()`,
      `const { loadTestRunner } = await import(${url('test-context.ts')})`,
      `await loadTestRunner()`,
      `const { describe } = await import('node:test')`,
      `const { closeHosts, keepHosts } = await import(${url('host-pool.ts')})`,
      `const { measured } = await import(${url('slowest.ts')})`,
    ]
    writeFileSync(path, [...head, 'keepHosts()', ...suites, 'await closeHosts()', LAST, ''].join('\n'))
    return path
  })
}
