import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findAlikeLines } from './figures/alike-lines.ts'
import { findCycles, importsOf } from './figures/imports.ts'
import { findRetiredNames } from './figures/retired-names.ts'
import { sourcesOf } from './figures/source.ts'

/** A `sql` template; the type of its rows may stand before the text. */
const TEMPLATE = /\bsql(?:<(?:[^<>`]|<(?:[^<>`]|<[^<>`]*>)*>)*>)?`/g

const core = sourcesOf('core')
const plugins = sourcesOf('plugins')
const sources = [...core, ...plugins]
const coreImports = importsOf('core')

const lines = sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
const roomOf = (path: string): string => /^core\/([^/]+)\//.exec(path)?.[1] ?? 'core'
const pluginOf = (path: string): string => path.split('/')[1]!
const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length
const templates = (files: typeof sources): number => files.reduce((sum, { text }) => sum + count(text, TEMPLATE), 0)

function mutualRooms(): number {
  const arrows = new Set(coreImports.map(({ file, target }) => `${roomOf(file)} ${roomOf(target)}`))
  return [...arrows].filter(arrow => {
    const [from, to] = arrow.split(' ') as [string, string]
    return from < to && arrows.has(`${to} ${from}`)
  }).length
}

/** Each figure with its limit; a change that lowers a figure lowers its limit too. */
const figures = {
  'rooms of core that import each other': [mutualRooms(), 0],
  'cycles of files in core': [findCycles(coreImports).length, 0],
  'cycles of files in plugins': [findCycles(importsOf('plugins')).length, 4],
  'imports of the contract from the rest of core': [
    coreImports.filter(({ file, target }) => file.startsWith('core/plugin/') && !target.startsWith('core/plugin/'))
      .length,
    0,
  ],
  '`any` in types of tables': [sources.reduce((sum, { text }) => sum + count(text, /\bKysely<any>/g), 0), 1],
  'sql templates outside repositories': [
    templates(plugins.filter(({ path }) => !path.endsWith('.repository.ts'))),
    950,
  ],
  'sql templates': [templates(sources), 1030],
  'pairs of places in plugins with six alike lines': [findAlikeLines(plugins).length, 260],
  'plugins that the portal imports': [
    new Set(
      importsOf('plugins/portal')
        .map(({ target }) => pluginOf(target))
        .filter(name => name !== 'portal'),
    ).size,
    1,
  ],
  'lines of core and plugins': [lines, 54_700],
  'retired names': [findRetiredNames().length, 4],
} as const satisfies Readonly<Record<string, readonly [number, number]>>

describe('figures of the code', () => {
  test('none is over its limit', t => {
    for (const [name, [value, limit]] of Object.entries(figures)) t.diagnostic(`${value} of at most ${limit}  ${name}`)
    for (const name of findRetiredNames()) t.diagnostic(`retired name: ${name}`)
    const over = Object.entries(figures).filter(([, [value, limit]]) => value > limit)
    assert.deepEqual(over, [])
  })
})
