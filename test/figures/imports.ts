import { dirname, join } from 'node:path/posix'
import { sourcesOf } from './source.ts'

export interface Import {
  readonly file: string
  readonly target: string
  /** Whether the import has no effect at run time. */
  readonly typeOnly: boolean
}

const IMPORT = /(?:^|\n)\s*(import|export)\s+(type\s)?([^'";]*?\bfrom\s+)?'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/g

/** Returns the relative imports of a folder's files, including dynamic and type imports, with paths from the root. */
export function importsOf(folder: string): readonly Import[] {
  return sourcesOf(folder).flatMap(({ path: file, text }) =>
    [...text.matchAll(IMPORT)].map(([, , type, , fixed, dynamic]) => ({
      file,
      target: join(dirname(file), (fixed ?? dynamic)!),
      typeOnly: type !== undefined,
    })),
  )
}

/** Finds groups of files that import each other, directly or indirectly. */
export function findCycles(imports: readonly Import[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>()
  for (const { file, target } of imports) next.set(file, [...(next.get(file) ?? []), target])
  const reached = new Map([...next.keys()].map(file => [file, reachFrom(file, next)]))
  const cycles = new Map<string, string[]>()
  for (const [file, others] of reached) {
    if (!others.has(file)) continue
    const group = [...others].filter(other => reached.get(other)?.has(file)).toSorted()
    cycles.set(group.join('\n'), group)
  }
  return [...cycles.values()]
}

function reachFrom(file: string, next: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [...(next.get(file) ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue
    found.add(at)
    open.push(...(next.get(at) ?? []))
  }
  return found
}
