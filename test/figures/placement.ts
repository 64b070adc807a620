import { normalized, sourcesOf } from './source.ts'

/**
 * Files of the placement code: names, paths, trees, picking by text, membership, parameters of items, filters, fields and moves of areas,
 * sprints and versions, and the parts that labels share. Rows of sprints and schemas of tools do not count.
 */
const PLACEMENT = [
  /^plugins\/items\/placement\//,
  /^plugins\/areas\/(?:placement\.repository|position)\.ts$/,
  /^plugins\/sprints\/(?:placement\.repository|pick|structure)\.ts$/,
  /^plugins\/versions\/placement\.repository\.ts$/,
  /^plugins\/labels\/names\.ts$/,
]

/** Measures the placement files: their lines, and their code lines without comments, imports and lone punctuation. */
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
