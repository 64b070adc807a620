import { choice, defineTool, guarded, Type, widen } from 'tasuki/plugin'
import { detailParam, titleParam, readCreated, writtenOutput } from '../../items/index.ts'
import { chosenParams } from '../../items/points.ts'
import { access, INBOX, projectKey } from '../../projects/index.ts'
import { createTemplate } from '../create.ts'
import { readRecurrence } from '../recurrence.ts'
import { STRATEGIES } from '../template.ts'

const Input = Type.Object({
  project_key: Type.Optional(projectKey('Default INBOX.')),
  title: titleParam,
  detail: Type.Optional(detailParam()),
  recurrence_rule: guarded(
    Type.String({ description: 'RRULE or words, e.g. FREQ=WEEKLY;BYDAY=MO;BYHOUR=9, every second Friday at 16:00.' }),
    { minLength: 1, maxLength: 1000 },
  ),
  timezone: Type.Optional(
    guarded(Type.String({ default: 'Asia/Tokyo', description: 'IANA name.' }), { maxLength: 64 }),
  ),
  generation_strategy: Type.Optional(
    choice(STRATEGIES, { default: 'skip_if_previous_open', description: 'If the previous is open.' }),
  ),
})

export const templatesCreate = defineTool({
  name: 'templates_create',
  class: 'W',
  title: 'Create task template',
  summary: 'Creates a template that makes a task at each occurrence, all-day unless BYHOUR is given.',
  rank: 330,
  input: all => widen(Input, chosenParams(all, ['labels'])),
  output: { ...writtenOutput.properties, next_occurrences: Type.Array(Type.String()) },
  async run(ctx, input) {
    const { project_key = INBOX, title, detail = '', generation_strategy: strategy = STRATEGIES[1] } = input
    const { labels } = input as { labels?: readonly string[] }
    const recurrence = readRecurrence(input.recurrence_rule, input.timezone, ctx.now)
    const template = { project_key, title, detail, labels, makes: 'task', recurrence, strategy } as const
    const { draft, next } = await createTemplate(ctx, template)
    const { timeZone } = access(ctx)
    if (input.timezone === undefined && recurrence.timezone !== timeZone && !/TZID=/i.test(input.recurrence_rule))
      draft.warnings.push(
        `The rule is in ${recurrence.timezone}, and your time zone is ${timeZone}. If that is not meant, archive ${draft.ref} and create the template again with timezone.`,
      )
    return { ...(await readCreated(ctx, draft, input)), next_occurrences: [...next] }
  },
})
