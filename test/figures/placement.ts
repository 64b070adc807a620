import { normalized, sourcesOf } from './source.ts'

/**
 * Where placement is written: names, paths, trees, picking by text, membership, parameters of items, filters, fields and moves of areas,
 * sprints and versions, and what labels share of it. The rows of sprints and the schemas of tools are not placement.
 */
const PLACEMENT = [
  /^plugins\/items\/placement\//,
  /^plugins\/areas\/(?:placement\.repository|position)\.ts$/,
  /^plugins\/sprints\/(?:placement\.repository|pick|structure)\.ts$/,
  /^plugins\/versions\/placement\.repository\.ts$/,
  /^plugins\/labels\/names\.ts$/,
]

/** The files in which placement is written, their lines, and the lines that hold code: no comments, imports or lone punctuation. */
export function measurePlacement(): {
  readonly files: readonly string[]
  readonly lines: number
  readonly linesOfCode: number
} {
  const files = sourcesOf('plugins').filter(({ path }) => PLACEMENT.some(pattern => pattern.test(path)))
  return {
    files: files.map(({ path }) => path),
    lines: files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
    linesOfCode: files.reduce((sum, file) => sum + normalized(file).length, 0),
  }
}
