import { defineTool, quoteName, requireUnchanged, ToolError, Type, type ReadContext } from 'tasuki/plugin'
import { dayIn } from '../../items/index.ts'
import { requireFeature } from '../../projects/index.ts'
import {
  dailyDone,
  dayNumber,
  readClosings,
  readNotes,
  requireSprint,
  sprintRef,
  writeNote,
} from '../../sprints/index.ts'
import type { SprintClosing, SprintRow } from '../../sprints/index.ts'
import { SPRINTS_LOOKED_AT } from '../forecast/pace.ts'
import { draftText, draftUnrecorded } from '../retro/draft.ts'
import { readEvents } from '../retro/events.ts'

const SLOT = 'assistant_summary'

export const agileRetroDraft = defineTool({
  name: 'agile_retro_draft',
  class: 'WD',
  title: 'Draft retrospective',
  summary:
    'Drafts a retrospective of a closed sprint into its note assistant_summary; an existing one stays unless overwrite.',
  rank: 890,
  gates: ['agile_ai', 'sprints'],
  needs: ['sprints'],
  input: {
    sprint_id: sprintRef('Id or path.'),
    overwrite: Type.Optional(Type.Boolean({ default: false, description: 'Replace what is there.' })),
  },
  output: {
    sprint: Type.Object({ id: Type.String(), path: Type.String() }),
    slot: Type.String(),
    note: Type.Object({ body: Type.String(), updated_at: Type.String() }),
    changed: Type.Array(Type.String()),
  },
  async run(ctx, { sprint_id, overwrite = false }) {
    const { project, sprint } = await requireSprint(ctx, sprint_id, { write: true })
    requireFeature(ctx, 'agile_ai', project)
    const { id, path } = sprint
    if (sprint.status !== 'closed') {
      const message = `The sprint ${quoteName(path)} is ${sprint.status}; a retrospective looks back at a closed one.`
      throw new ToolError('conflict', message, { field: 'sprint_id', hint: 'Close it first; sprints_close does it.' })
    }
    const before = (await readNotes(ctx, sprint))[SLOT]
    if (before && !overwrite)
      throw new ToolError('conflict', `The sprint ${quoteName(path)} has a draft of ${before.updated_at} already.`, {
        field: 'overwrite',
        hint: 'Replace it with overwrite=true; sprints_note_get reads it.',
      })
    if (before) requireUnchanged(ctx, `The draft of ${quoteName(path)}`, { ...before })
    const body = await draftOf(ctx, sprint, await readClosings(ctx, project, SPRINTS_LOOKED_AT, sprint))
    if (before?.body === body) return { sprint: { id, path }, slot: SLOT, note: before, changed: [] }
    await writeNote(ctx, sprint, SLOT, body)
    return { sprint: { id, path }, slot: SLOT, note: { body, updated_at: ctx.now.toISOString() }, changed: [SLOT] }
  },
})

/** @param closings the sprint's own one first, then the earlier ones */
async function draftOf(ctx: ReadContext, sprint: SprintRow, closings: readonly SprintClosing[]): Promise<string> {
  const closing = closings.find(each => each.sprint.id === sprint.id)
  const earlier = closings.filter(each => each !== closing)
  const [previous] = earlier
  const notes = previous && (await readNotes(ctx, previous.sprint))
  const lastRetro = notes?.retro?.body ?? null
  // A sprint that was created closed has no closing.
  if (!closing) return draftUnrecorded(sprint, lastRetro)
  const zone = sprint.timeZone
  const lastDay = dayIn(zone, new Date(closing.closedAt))
  const firstDay = sprint.startedAt === null ? sprint.startDate : dayIn(zone, new Date(sprint.startedAt))
  return draftText({
    closing,
    earlier,
    events: await readEvents(ctx, closing),
    days: await dailyDone(ctx, sprint.ownerId, [sprint.id]),
    length: firstDay === null ? 1 : Math.max(1, dayNumber(lastDay) - dayNumber(firstDay) + 1),
    lastDay,
    lastRetro,
  })
}
