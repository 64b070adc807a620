import { defineTool, guarded, Type } from 'tasuki/plugin'
import { itemRef } from '../../items/index.ts'
import { reminder, repeatReminder } from '../../reminders/index.ts'

export const remindersRepeat = defineTool({
  name: 'reminders_repeat',
  class: 'W',
  title: 'Create recurring reminder',
  summary:
    'Reminds you of an item again and again, for example every Monday at 9:00, until it is completed. The other reminders_* tools list, move and delete it.',
  rank: 1152,
  needs: ['items', 'reminders', 'templates'],
  input: {
    item_ref: itemRef(),
    recurrence_rule: guarded(
      Type.String({ description: 'RRULE, e.g. FREQ=WEEKLY;BYDAY=MO;BYHOUR=9; without BYHOUR at 09:00.' }),
      { minLength: 1, maxLength: 1000 },
    ),
    timezone: Type.Optional(guarded(Type.String({ description: 'IANA name; default yours.' }), { maxLength: 64 })),
  },
  output: { reminder, changed: Type.Array(Type.String()), next_occurrences: Type.Array(Type.String()) },
  async run(ctx, input) {
    const { reminder: made, next_occurrences } = await repeatReminder(ctx, input)
    return { reminder: made, changed: ['recurrence_rule', 'remind_at'], next_occurrences: [...next_occurrences] }
  },
})
