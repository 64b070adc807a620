import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Files that take longest, the longest first: each has a process of its own, and none is left to run alone at the end. */
export const LONGEST = [
  'core/cli.test.ts',
  'third-party.test.ts',
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

/** Files per process: to load the service and its dependencies takes seconds, which neighbours share. */
const AT_MOST = 8

/**
 * Puts test files together that are to run in one process, one after the other.
 * @param files sorted paths.
 * @returns the groups in the order in which they should start.
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

/** What a test leaves behind keeps its process alive, and with it the whole run: it is told of instead. */
const LAST = `
setTimeout(() => {
  console.error('tests left behind what keeps their process alive:', process.getActiveResourcesInfo().join(', '))
  process.exit(1)
}, 20_000).unref()`

/** Writes what runs the groups: a suite per file, so that hooks and names of one file are not those of another. @returns the paths */
export function writeGroups(folder: string, groups: readonly (readonly string[])[]): readonly string[] {
  return groups.map((files, n) => {
    const suites = files.map(file => {
      const url = pathToFileURL(resolve(file)).href
      return `await describe(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(url)})))`
    })
    // The test runner starts files in the order of their names, whatever the order in which it is given them.
    const path = join(folder, `group-${String(n).padStart(3, '0')}.mjs`)
    const head = [
      `import { describe } from 'node:test'`,
      `import { closeHosts, keepHosts } from ${JSON.stringify(new URL('host-pool.ts', import.meta.url).href)}`,
    ]
    writeFileSync(path, [...head, 'keepHosts()', ...suites, 'await closeHosts()', LAST, ''].join('\n'))
    return path
  })
}
