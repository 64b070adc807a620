import { firstCharacters, Type, uuid } from 'tasuki/plugin'
import { exportParts, listSection, importParts } from '../transfer/points.ts'
import { insertSteps, stepsText } from './step.repository.ts'
import { MOST_STEPS } from './step.ts'

/** Checklists of imported items. */
export const importSteps = importParts({
  of: 'checklist',
  schema: Type.Array(Type.Object({ content: Type.String(), done: Type.Boolean() })),
  async write(ctx, _project, parts) {
    const rows = parts.flatMap(({ draft, value, note }) => {
      if (value.length > MOST_STEPS) note(`more than ${MOST_STEPS} steps: the rest is left out`)
      return value.slice(0, MOST_STEPS).map(({ content, done }, n) => ({
        owner_id: draft.ownerId,
        id: uuid(),
        item_id: draft.id,
        content: firstCharacters(content, 1000),
        done,
        position: n + 1,
        created_at: ctx.now,
        done_at: done ? ctx.now : null,
      }))
    })
    await insertSteps(ctx, rows)
  },
})

const line = ({ content, done }: { readonly content: string; readonly done: boolean }, text = content): string =>
  `[${done ? 'x' : ' '}] ${text}`

export const exportSteps = exportParts({
  of: 'checklist',
  sql: () => stepsText,
  cell: {
    // Further lines of a step are indented.
    write: steps => steps.map(step => line(step, step.content.replaceAll('\n', '\n    '))).join('\n'),
    read: text =>
      text.split(/\n(?=\[[ x]\] )/).map(step => ({
        content: step.slice(4).replaceAll('\n    ', '\n'),
        done: step.startsWith('[x]'),
      })),
  },
  markdown: listSection<'checklist'>('Checklist', step => line(step, step.content.replaceAll(/\s+/g, ' '))),
})
