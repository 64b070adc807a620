import { choice, defineTool, guarded, Type, widen } from 'tasuki/plugin'
import {
  blankItem,
  detailParam,
  newDraft,
  findPlace,
  titleParam,
  writeItem,
  written,
  writtenOutput,
} from '../../items/index.ts'
import { chosenParams } from '../../items/points.ts'
import { INBOX, projectKey } from '../../projects/index.ts'
import { readRecurrence, upcoming } from '../recurrence.ts'
import { refusal } from '../rule.ts'
import { STRATEGIES } from '../template.ts'

/** Occurrences that are shown to whoever writes a rule. */
const PREVIEW = 3

const Input = Type.Object(
  {
    project_key: Type.Optional(projectKey('Default INBOX.')),
    title: titleParam,
    detail: Type.Optional(detailParam()),
    recurrence_rule: guarded(Type.String({ description: 'RRULE, e.g. FREQ=WEEKLY;BYDAY=MO;BYHOUR=9.' }), {
      minLength: 1,
      maxLength: 1000,
    }),
    timezone: Type.Optional(
      guarded(Type.String({ default: 'Asia/Tokyo', description: 'IANA name.' }), { maxLength: 64 }),
    ),
    generation_strategy: Type.Optional(
      choice(STRATEGIES, { default: 'skip_if_previous_open', description: 'If the previous is open.' }),
    ),
  },
  { additionalProperties: false },
)

export const templatesCreate = defineTool({
  name: 'templates_create',
  class: 'W',
  title: 'Create task template',
  summary: 'Creates a template that makes a task at each occurrence, all-day unless BYHOUR is given.',
  rank: 330,
  input: all => widen(Input, chosenParams(all, 'items_create', ['labels'])),
  output: Type.Object({ ...writtenOutput.properties, next_occurrences: Type.Array(Type.String()) }),
  async run(ctx, input) {
    const { project_key: key = INBOX, title, detail = '', generation_strategy: strategy = STRATEGIES[1] } = input
    const recurrence = readRecurrence(input.recurrence_rule, input.timezone, ctx.now)
    const next = upcoming(recurrence, ctx.now, PREVIEW)
    if (next.length === 0) {
      throw refusal(`${recurrence.rule} has ended already`, { hint: 'Move UNTIL or DTSTART.' })
    }
    const place = await findPlace(ctx, key)
    const draft = newDraft({
      project: place,
      workflowId: place.workflowId,
      parent: null,
      values: { ...blankItem('task_template', place), title, detail },
    })
    const { labels } = input as { labels?: readonly string[] }
    await writeItem(ctx, draft, { tool: 'items_create', input: labels === undefined ? {} : { labels } })
    await ctx.db
      .insertInto('templates.templates')
      .values({
        owner_id: draft.ownerId,
        item_id: draft.id,
        rule: recurrence.rule,
        timezone: recurrence.timezone,
        dtstart: recurrence.dtstart,
        starts_after: recurrence.startsAfter,
        ends_at: recurrence.endsAt,
        strategy,
        next_at: next[0],
        due_at: next[0],
      })
      .execute()
    return {
      ...(await written(ctx, draft)),
      changed: Object.keys(input).filter(name => name !== 'project_key'),
      next_occurrences: next.map(at => at.toISOString()),
    }
  },
})
