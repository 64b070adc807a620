import { firstCharacters, ToolError, Type } from 'tasuki/plugin'
import { featureOn, type ProjectRow } from '../projects/index.ts'
import { exportParts, importParts } from '../transfer/points.ts'
import { estimateText, writeEstimates } from './estimate.repository.ts'
import { readEstimate } from './estimate.ts'

/** More than any estimate has. */
const MOST_CHARACTERS = 40

/** Estimates of imported items, in the unit of the project. */
export const importEstimates = importParts({
  of: 'estimate',
  schema: Type.String(),
  refuse: (ctx, project) =>
    featureOn(ctx, 'estimation', project) && project.estimateUnit !== 'none' ? null : 'the project has no estimates',
  refuseValue(project, text) {
    const value = readImported(project, text)
    return value instanceof ToolError ? value.message : null
  },
  write: (ctx, project, parts) =>
    writeEstimates(
      ctx,
      parts.flatMap(({ draft, value: text }) => {
        const value = readImported(project, text)
        return value === null || value instanceof ToolError ? [] : [{ ownerId: draft.ownerId, itemId: draft.id, value }]
      }),
    ),
})

/** Other programs export whole numbers as 5.0, and a missing estimate as 0 or nothing. */
function readImported(project: ProjectRow, text: string): string | null | ToolError {
  const short = firstCharacters(text, MOST_CHARACTERS)
  return readEstimate(short.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''), project, 'estimate')
}

export const exportEstimates = exportParts({
  of: 'estimate',
  sql: ctx => estimateText(ctx),
  cell: { write: value => value, read: text => text },
  markdown: { as: 'fact', title: 'Estimate', write: value => value },
})
