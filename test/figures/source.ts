import { globSync, readFileSync } from 'node:fs'
import { basename, join, sep } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface SourceFile {
  /** Path from the root, with slashes. */
  readonly path: string
  readonly text: string
}

/** Third-party code, and a plugin that is not part of the service. */
const LEFT_OUT = ['node_modules', 'plugin-template']

/** Reads the TypeScript files of a folder of the project. */
export function sourcesOf(folder: string): readonly SourceFile[] {
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT, exclude: path => LEFT_OUT.includes(basename(path)) })
    .map(path => path.split(sep).join('/'))
    .toSorted()
    .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/** Returns the code lines of a file, without comments, imports, blank lines and lone punctuation. */
export function normalized({ text }: SourceFile): readonly { readonly line: number; readonly text: string }[] {
  const bare = text
    .replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, ''))
    .replace(/^(?:import|export)\b[^;'"]*?\bfrom '[^']*'$/gm, statement => statement.replace(/[^\n]/g, ''))
    .replace(/^import '[^']*'$/gm, '')
  return bare.split('\n').flatMap((line, index) => {
    const code = line
      .replace(/(^|\s)\/\/.*$/, '')
      .replace(/\s+/g, ' ')
      .trim()
    return /\w/.test(code) ? [{ line: index + 1, text: code }] : []
  })
}
