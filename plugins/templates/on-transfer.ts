import { exportParts } from '../transfer/points.ts'
import { recurrenceText } from './template.repository.ts'

declare module '../transfer/points.ts' {
  interface ImportedParts {
    /** The recurrence of a template. */
    readonly recurrence: {
      readonly makes: 'task' | 'event'
      /** RRULE value. */
      readonly rule: string
      readonly timezone: string
      readonly dtstart: string
      readonly strategy: string
      readonly enabled: boolean
    }
  }
}

export const exportRecurrence = exportParts({
  of: 'recurrence',
  sql: () => recurrenceText,
  markdown: { as: 'fact', title: 'Recurs', write: ({ rule, timezone }) => `${rule} (${timezone})` },
})
