import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
/** Documented entry points of the packages, in addition to the main ones. */
const DOCUMENTED = [
  '@electric-sql/pglite/contrib/btree_gin',
  '@electric-sql/pglite/contrib/pg_trgm',
  '@electric-sql/pglite/nodefs',
  '@sinclair/typebox/compiler',
  '@sinclair/typebox/errors',
  '@sinclair/typebox/value',
]

test('packages are imported through documented entry points, not by file', () => {
  const found = new Set<string>()
  for (const file of globSync('{core,plugins}/**/*.ts', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    for (const match of text.matchAll(/(?:from|import|[rR]equire(?:\([^)]*\))?|resolve)\s*\(?\s*'([^']+)'/g)) {
      const [, name] = match
      const [first, second, ...rest] = name!.split('/')
      const isPackage = !name!.startsWith('.') && !name!.startsWith('tasuki/') && /^@?[a-z][\w.-]*$/.test(first!)
      const deep = first!.startsWith('@') ? rest.length > 0 : second !== undefined
      if (isPackage && deep && !isBuiltin(name!)) found.add(name!)
    }
  }
  assert.deepEqual([...found].toSorted(), DOCUMENTED)
})
