import { sourcesOf } from './source.ts'

const EXPORT = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm

/**
 * Finds exported functions, constants and classes that no other file names. Skips entity classes, which the declarations of their plugin
 * need, and the third-party plugins of the tests.
 */
export function findUnusedExports(): readonly string[] {
  const files = ['core', 'plugins', 'test'].flatMap(folder => sourcesOf(folder))
  const namedIn = new Map<string, number>()
  for (const { text } of files) {
    for (const name of new Set(text.match(/[A-Za-z_$][\w$]*/g))) namedIn.set(name, (namedIn.get(name) ?? 0) + 1)
  }
  return files
    .filter(({ path }) => !/\/(?:migrations|fixtures)\/|\/entities\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(EXPORT)].flatMap(([, name]) => (namedIn.get(name!) === 1 ? [`${name} (${path})`] : [])),
    )
}
