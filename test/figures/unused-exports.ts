import { join } from 'node:path/posix'
import { sourcesOf } from './source.ts'

/** An import of all exports of a module, of which the importer lists the values. */
const NAMESPACE = /^import \* as \w+ from '(\.[^']*)'$/gm
const EXPORT = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm

/**
 * Finds exported functions, constants and classes that no other file names. Skips entity classes, which the declarations of their plugin
 * need, the third-party plugins of the tests, and modules that are imported as a whole.
 */
export function findUnusedExports(): readonly string[] {
  const files = ['core', 'plugins', 'test'].flatMap(folder => sourcesOf(folder))
  const namedIn = new Map<string, number>()
  for (const { text } of files) {
    for (const name of new Set(text.match(/[A-Za-z_$][\w$]*/g))) namedIn.set(name, (namedIn.get(name) ?? 0) + 1)
  }
  const whole = new Set(
    files.flatMap(({ path, text }) => [...text.matchAll(NAMESPACE)].map(([, from]) => join(path, '..', from!))),
  )
  return files
    .filter(({ path }) => !whole.has(path) && !/\/(?:migrations|fixtures)\/|\/entities\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(EXPORT)].flatMap(([, name]) => (namedIn.get(name!) === 1 ? [`${name} (${path})`] : [])),
    )
}

/** A list of re-exported values; those of `points.ts` are for plugins of others too. */
const REEXPORT = /^export \{([^}]*)\}(?: from '\.\/(?!points)[^']*')?$/gm

/**
 * Finds functions and constants in the index of a plugin that no other plugin and no test names: what only the plugin itself uses is not
 * part of its interface. Types are left out, because authors of other plugins may name them.
 */
export function findUnusedInterface(): readonly string[] {
  const files = ['core', 'plugins', 'test']
    .flatMap(folder => sourcesOf(folder))
    .map(({ path, text }) => ({ path, text, words: new Set(text.match(/\w+/g)) }))
  return files
    .filter(({ path }) => /^plugins\/\w+\/index\.ts$/.test(path))
    .flatMap(({ path, text }) => {
      const others = files.filter(file => !file.path.startsWith(path.slice(0, -'index.ts'.length)))
      const names = [...text.matchAll(REEXPORT)].flatMap(([, list]) => list!.split(',').map(name => name.trim()))
      return names
        .filter(name => /^\w+$/.test(name) && !others.some(({ words }) => words.has(name)))
        .map(name => `${name} (${path})`)
    })
}
