import { defineTexts, formatInstant, html, itemPanels, type Language } from '../../portal/index.ts'
import type { Reminder } from '../reminder.ts'

const texts = defineTexts({
  title: { en: 'Reminders', ja: 'リマインダー' },
  before: { en: (time: string) => `${time} before it is due`, ja: time => `期限の${time.replace(' ', '')}前` },
  whenDue: { en: 'when it is due', ja: '期限の時刻' },
  waits: { en: 'Waits for a due date.', ja: '期限が設定されるまで待機します。' },
  repeats: { en: 'repeats', ja: '繰り返し' },
})

const UNITS = [
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const

/** Formats minutes in the largest unit that has no remainder. */
function formatLead(language: Language, minutes: number): string {
  const [unit, size] = UNITS.find(([, each]) => minutes % each === 0)!
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(minutes / size)
}

/** The pending reminders of an item, the next first. */
export const remindersPanel = itemPanels<readonly Reminder[]>({
  rank: 15,
  load: (_ctx, { sections }) => (sections['reminders'] ?? []) as readonly Reminder[],
  view(visit, _item, reminders) {
    if (reminders.length === 0) return null
    const t = texts(visit.language)
    return html`<h2>${t.title}</h2>
      <ul class="rows">
        ${reminders.map(
          ({ remind_at: at, lead_time_minutes: lead, recurrence_rule: rule }) =>
            html`<li>
              ${at === undefined ? t.waits : formatInstant(visit, at)}
              ${typeof lead === 'number' && html`<span class="quiet">${lead === 0 ? t.whenDue : t.before(formatLead(visit.language, lead))}</span>`}
              ${rule && html`<span class="tag">${t.repeats}</span>`}
            </li>`,
        )}
      </ul>`
  },
})
