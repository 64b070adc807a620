import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, test } from 'node:test'
import { specs } from './plugin-words.ts'

const ROOT = join(import.meta.dirname, '..')
const PUBLIC_FILES = ['index.ts', 'points.ts', 'entities.ts']

interface Import {
  readonly file: string
  readonly target: string
}

/** Returns relative imports, including type imports, with paths from the root. */
function importsOf(folder: string): readonly Import[] {
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT }).flatMap(file => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const paths = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)].map(([, path]) => path!)
    return paths.map(path => ({ file, target: normalize(join(dirname(file), path)) }))
  })
}

test('the index of a plugin with tables brings their types, without which rows of its functions are unknown', () => {
  const owners = globSync('plugins/*/entities.ts', { cwd: ROOT }).map(file => dirname(file))
  const without = owners.filter(
    folder => !/^export type \{\} from '\.\/entities\.ts'$/m.test(readFileSync(join(ROOT, folder, 'index.ts'), 'utf8')),
  )
  assert.ok(owners.length > 15)
  assert.deepEqual(without, [])
})

const pluginOf = (path: string): string | undefined => /^plugins\/([^/]+)\//.exec(path)?.[1]

/**
 * The layers, lowest first. A file imports only its own and lower layers, types included. `core/main.ts`, the entry point, is above all
 * layers.
 */
const LAYERS = ['plugin', 'db', 'archive', 'runtime', 'http', 'identity', 'mcp', 'host', 'cli', 'testing']

const layerOf = (path: string): number => {
  const [, folder = '', file] = path.split('/')
  return file === undefined ? LAYERS.length : LAYERS.indexOf(folder)
}

describe('module boundaries', () => {
  const imports = importsOf('plugins')
  const core = importsOf('core')

  test('a plugin imports only the index, points and entities of another, and tasuki/plugin of the host', () => {
    assert.ok(imports.length > 1000, `${imports.length} imports`)
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [pluginOf(file), pluginOf(target)]
      return to === undefined || (from !== to && !PUBLIC_FILES.some(name => target === `plugins/${to}/${name}`))
    })
    assert.deepEqual(wrong, [])
  })

  test('a layer of core imports only lower layers, types included', () => {
    const files = globSync('core/**/*.ts', { cwd: ROOT })
    assert.deepEqual(
      files.filter(file => layerOf(file) < 0),
      [],
      'every folder is a layer',
    )
    assert.deepEqual(globSync('core/*.ts', { cwd: ROOT }), ['core/main.ts'])
    assert.deepEqual(
      core.filter(({ file, target }) => layerOf(target) > layerOf(file)),
      [],
    )
  })

  test('the contract between host and plugins imports no other layer of core', () => {
    const contract = core.filter(({ file }) => file.startsWith('core/plugin/'))
    assert.ok(contract.length > 50, `${contract.length} imports`)
    assert.deepEqual(
      contract.filter(({ target }) => !target.startsWith('core/plugin/')),
      [],
    )
  })

  test('core/README.md describes the layers, in order', () => {
    const readme = readFileSync(join(ROOT, 'core/README.md'), 'utf8')
    const listed = [...readme.matchAll(/^\| `(\w+)\/`/gm)].map(([, name]) => name!)
    assert.deepEqual(
      listed.filter(name => name !== 'decisions'),
      LAYERS,
    )
  })

  test('core imports no plugin', () => {
    const all = core
    assert.ok(all.length > 500, `${all.length} imports`)
    assert.deepEqual(
      all.filter(({ target }) => target.startsWith('plugins/')),
      [],
    )
  })

  test('a plugin imports only its required and optional plugins, and declares no others', () => {
    const used = new Map<string, Set<string>>()
    for (const { file, target } of imports) {
      const [from, to] = [pluginOf(file)!, pluginOf(target)!]
      if (to !== from) used.set(from, (used.get(from) ?? new Set()).add(to))
    }
    for (const [name, { dependsOn = [], optionalDependsOn = [], tools = [] }] of specs) {
      const imported = [...(used.get(name) ?? [])].filter(other => !dependsOn.includes(other))
      const needed = tools.flatMap(({ needs = [] }) => needs).filter(other => !dependsOn.includes(other))
      assert.deepEqual([...new Set([...imported, ...needed])].toSorted(), [...optionalDependsOn].toSorted(), name)
    }
  })
})
