import { sourcesOf } from './source.ts'

const EXPORT = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm

/**
 * Functions, constants and classes that are exported and named in no other file. Classes of entities are left out, because the
 * declarations of their plugin need them, and so is what third-party plugins of the tests have.
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
