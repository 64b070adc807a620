import type { WriteContext } from 'tasuki/plugin'
import { applyDue, blankItem, newDraft, findPlace, writeItem, written } from '../items/index.ts'
import { requireFeature } from '../projects/index.ts'

export interface NewEvent {
  readonly project_key: string
  readonly title: string
  /** `YYYY-MM-DD`. */
  readonly due_date: string
  /** `HH:MM`; undefined = all day. */
  readonly due_time?: string
  readonly detail?: string
  readonly labels?: readonly string[]
}

/** Creates a calendar event. @throws ToolError not_found, forbidden, feature_disabled, invalid_argument */
export async function createEvent(ctx: WriteContext, event: NewEvent) {
  const { project_key, title, due_date, due_time, detail = '', labels } = event
  const place = await findPlace(ctx, project_key)
  requireFeature(ctx, 'calendar', place)
  const draft = newDraft({
    project: place,
    workflowId: place.workflowId,
    parent: null,
    values: { ...blankItem('event', place), title, detail },
  })
  applyDue(draft, due_date, due_time)
  await writeItem(ctx, draft, { tool: 'items_create', input: labels === undefined ? {} : { labels } })
  return { ...(await written(ctx, draft)), changed: Object.keys(event).filter(name => name !== 'project_key') }
}
