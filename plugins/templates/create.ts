import type { WriteContext } from 'tasuki/plugin'
import { newItem, findPlace, writeNewItem } from '../items/index.ts'
import { type Recurrence, upcoming } from './recurrence.ts'
import { refusal } from './rule.ts'
import { insertTemplates } from './template.repository.ts'
import { findPast, formatOccurrence, type Schedule, type Strategy } from './template.ts'

/** Number of occurrences in the result. */
const PREVIEW = 3

export interface NewTemplate {
  readonly project_key: string
  readonly title: string
  readonly detail: string
  readonly labels: readonly string[] | undefined
  readonly makes: Schedule['makes']
  readonly recurrence: Recurrence
  readonly strategy: Strategy
}

/** Creates a template. @throws ToolError not_found, forbidden; invalid_argument for a rule without future occurrences */
export async function createTemplate(
  ctx: WriteContext,
  { project_key, title, detail, labels, makes, recurrence, strategy }: NewTemplate,
) {
  const next = upcoming(recurrence, findPast({ makes, timezone: recurrence.timezone }, ctx.now), PREVIEW)
  const [first] = next
  if (!first) throw refusal(`${recurrence.rule} has ended already`, { hint: 'Move UNTIL or DTSTART.' })
  const place = await findPlace(ctx, project_key)
  const draft = newItem(place, 'task_template', { title, detail })
  await writeNewItem(ctx, draft, labels)
  await insertTemplates(ctx, [{ item: draft, makes, strategy, recurrence, next: first }])
  return { draft, place, next: next.map(at => formatOccurrence(recurrence, at)) }
}
