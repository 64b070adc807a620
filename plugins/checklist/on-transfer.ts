import { firstCharacters, uuid } from 'tasuki/plugin'
import { importParts } from '../transfer/points.ts'
import { insertSteps } from './step.repository.ts'
import { MOST_STEPS } from './step.ts'

/** Checklists of imported items. */
export const importSteps = importParts({
  of: 'checklist',
  async write(ctx, _project, given) {
    const rows = given.flatMap(({ draft, value, note }) => {
      if (value.length > MOST_STEPS) note(`more than ${MOST_STEPS} steps: the rest is left out`)
      return value.slice(0, MOST_STEPS).map(({ content, done }, n) => ({
        owner_id: draft.ownerId,
        id: uuid(),
        item_id: draft.id,
        content: firstCharacters(content, 1000).replaceAll('\0', '').toWellFormed(),
        done,
        position: n + 1,
        created_at: ctx.now,
        done_at: done ? ctx.now : null,
      }))
    })
    await insertSteps(ctx, rows)
  },
})
