import { ToolError, type WriteContext } from 'tasuki/plugin'
import { applyDue, newItem, findPlace, writeNewItem, readCreated } from '../items/index.ts'
import { requireFeature } from '../projects/index.ts'
import { eventSeries, type NewEvent } from './points.ts'

/** Creates a calendar event, or a series if it has a rule. @throws ToolError not_found, forbidden, feature_disabled, invalid_argument */
export async function createEvent(ctx: WriteContext, event: NewEvent) {
  const { project_key, title, due_date, due_time, detail = '', labels, recurrence_rule, timezone } = event
  if (recurrence_rule !== undefined) return ctx.all(eventSeries)[0]!.create(ctx, { ...event, recurrence_rule })
  if (timezone !== undefined)
    throw new ToolError('invalid_argument', 'timezone belongs to a recurrence_rule, and there is none.', {
      field: 'timezone',
      hint: 'Leave it out: due_date and due_time are in the time zone of the owner.',
    })
  const place = await findPlace(ctx, project_key)
  requireFeature(ctx, 'calendar', place)
  const draft = newItem(place, 'event', { title, detail })
  applyDue(draft, due_date, due_time)
  await writeNewItem(ctx, draft, labels)
  return readCreated(ctx, draft, event)
}
