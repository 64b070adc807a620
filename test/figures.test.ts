import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findAlikeLines } from './figures/alike-lines.ts'
import { findCycles, importsOf } from './figures/imports.ts'
import { measurePlacement } from './figures/placement.ts'
import { findRetiredNames } from './figures/retired-names.ts'
import { sourcesOf } from './figures/source.ts'
import { findUnusedExports, findUnusedInterface } from './figures/unused-exports.ts'

/** Matches a `sql` template, optionally with a row type. */
const TEMPLATE = /\bsql(?:<(?:[^<>`]|<(?:[^<>`]|<[^<>`]*>)*>)*>)?`/g

const core = sourcesOf('core')
const plugins = sourcesOf('plugins')
const sources = [...core, ...plugins]
/** Without migrations, which are never changed. */
const changeable = plugins.filter(({ path }) => !path.includes('/migrations/'))
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

interface Figure {
  readonly value: number
  /** The current limit; a change that lowers the figure also lowers the limit. */
  readonly limit: number
  /** The target; absent if the limit has reached it. */
  readonly goal?: number
}

const figures: Readonly<Record<string, Figure>> = {
  'layers of core that import each other': { value: mutualRooms(), limit: 0 },
  'cycles of files in core': { value: findCycles(coreImports).length, limit: 0 },
  'cycles of files in plugins': { value: findCycles(importsOf('plugins')).length, limit: 0 },
  'imports of the contract from the rest of core': {
    value: coreImports.filter(
      ({ file, target }) => file.startsWith('core/plugin/') && !target.startsWith('core/plugin/'),
    ).length,
    limit: 0,
  },
  '`any` in types of tables': {
    value: sources.reduce((sum, { text }) => sum + count(text, /\bKysely<any>/g), 0),
    limit: 0,
  },
  'sql templates of plugins outside repositories': {
    value: templates(plugins.filter(({ path }) => !path.endsWith('.repository.ts'))),
    limit: 0,
  },
  'sql templates': { value: templates(sources), limit: 397 },
  'lines of placement': { value: measurePlacement().lines, limit: 1_072, goal: 700 },
  'lines of placement that hold code': { value: measurePlacement().linesOfCode, limit: 696 },
  'pairs of places in plugins with six alike lines': { value: findAlikeLines(changeable).length, limit: 64 },
  'plugins that the portal imports': {
    value: new Set(
      importsOf('plugins/portal')
        .map(({ target }) => pluginOf(target))
        .filter(name => name !== 'portal'),
    ).size,
    limit: 0,
  },
  'lines of core and plugins': { value: lines, limit: 80_052, goal: 45_000 },
  'exports of plugins that no other plugin uses': { value: findUnusedInterface().length, limit: 0 },
  'exports that no other file names': { value: findUnusedExports().length, limit: 0 },
  'retired names': { value: findRetiredNames().length, limit: 0 },
}

describe('figures of the code', () => {
  test('none is over its limit', t => {
    for (const [name, { value, limit, goal = limit }] of Object.entries(figures))
      t.diagnostic(`${name}: ${value} (at most ${limit}, goal ${goal})`)
    for (const name of findRetiredNames()) t.diagnostic(`retired name: ${name}`)
    for (const name of [...findUnusedExports(), ...findUnusedInterface()]) t.diagnostic(`unused export: ${name}`)
    const over = Object.entries(figures).filter(([, { value, limit }]) => value > limit)
    assert.deepEqual(over, [])
  })
})
