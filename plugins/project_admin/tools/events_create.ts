import { date, defineTool, time, Type, widen } from 'tasuki/plugin'
import { createEvent, eventSeries, type NewEvent } from '../../events/index.ts'
import { detailParam, titleParam, writtenOutput } from '../../items/index.ts'
import { chosenParams } from '../../items/points.ts'
import { projectKey } from '../../projects/index.ts'

const Input = Type.Object({
  project_key: projectKey(),
  title: titleParam,
  due_date: date('YYYY-MM-DD.'),
  due_time: Type.Optional(time('HH:MM.')),
  detail: Type.Optional(detailParam()),
})

export const eventsCreate = defineTool({
  name: 'events_create',
  class: 'W',
  title: 'Create event',
  summary:
    'Creates a calendar event on a day, all-day unless it has a time. With a recurrence_rule it returns the template of a series, whose events are made four weeks ahead.',
  rank: 1150,
  gates: ['calendar'],
  needs: ['events'],
  input: all =>
    widen(Input, [
      ...chosenParams(all, ['labels']),
      ...all(eventSeries)
        .slice(0, 1)
        .map(({ params }) => ({ from: eventSeries.id, properties: params })),
    ]),
  output: all =>
    all(eventSeries).length === 0
      ? writtenOutput
      : Type.Object({
          ...writtenOutput.properties,
          next_occurrences: Type.Optional(Type.Array(Type.String())),
          events: Type.Optional(Type.Array(Type.String(), { description: 'Of the next four weeks.' })),
        }),
  run: (ctx, input) => createEvent(ctx, input as NewEvent),
})
