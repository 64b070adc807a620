import { choice, defineTool, ToolError, Type, widen, type All } from 'tasuki/plugin'
import { access } from '../../projects/index.ts'
import { readOverview } from '../overview.repository.ts'
import { overviewPeriod } from '../period.ts'
import { overviewSections } from '../points.ts'

const MAX_OFFSET = 14 * 60

const Overview = Type.Object({
  me: Type.Object({
    email: Type.String(),
    name: Type.String(),
    time_zone: Type.String(),
    /** In `time_zone`, like due dates. */
    today: Type.String(),
  }),
})

export const meOverview = defineTool({
  name: 'me_overview',
  class: 'R',
  title: 'Overview',
  summary:
    'Start here: who you are, today, your projects, workflow states, recent activity, tasks per week, what is due next.',
  rank: 10,
  input: {
    tz_offset_minutes: Type.Optional(Type.Integer({ default: 0, description: 'Of weeks, east of UTC.' })),
    week_start: Type.Optional(choice(['sunday', 'monday'], { default: 'monday', description: 'Week starts.' })),
  },
  output: (all: All) =>
    widen(
      Overview,
      all(overviewSections).map(({ name, schema }) => ({ from: overviewSections.id, properties: { [name]: schema } })),
    ),
  async run(ctx, { tz_offset_minutes: offset = 0, week_start: weekStart = 'monday' }) {
    if (Math.abs(offset) > MAX_OFFSET)
      throw new ToolError('invalid_argument', `${offset} minutes is no offset from UTC.`, {
        field: 'tz_offset_minutes',
        hint: `Give -${MAX_OFFSET} to ${MAX_OFFSET}, for example 540 for Japan.`,
      })
    const { timeZone } = access(ctx)
    const period = overviewPeriod(ctx.now, { timeZone, offset, weekStart })
    const sections = ctx.all(overviewSections)
    const { email, name, values } = await readOverview(ctx, sections, period)
    const parts = sections.flatMap((section, n) => (values[n] == null ? [] : [[section.name, values[n]]]))
    return {
      me: { email, name, time_zone: timeZone, today: period.today },
      ...(Object.fromEntries(parts) as Record<string, unknown>),
    }
  },
})
