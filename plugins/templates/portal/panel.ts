import { requireItem } from '../../items/index.ts'
import {
  addressOf,
  defineItemForm,
  defineTexts,
  disclosure,
  fields,
  formatDayIn,
  html,
  ITEM,
  itemPanels,
} from '../../portal/index.ts'
import { changeNext } from '../occurrence.ts'
import { isAllDay, upcoming } from '../recurrence.ts'
import { readItemsMadeAhead, readSchedule, type MadeAhead } from '../template.repository.ts'
import { formatWall, type Schedule } from '../template.ts'
import { describeRule } from '../words/write-words.ts'
import { instantOf } from '../zone.ts'

const texts = defineTexts({
  title: { en: 'Recurrence', ja: '繰り返し' },
  ended: { en: 'The series has ended.', ja: 'このシリーズは終了しました。' },
  paused: {
    en: 'No items are created while the template is closed, or it or its project is archived. Those that exist stay.',
    ja: 'テンプレートが完了しているか、テンプレートまたはプロジェクトがアーカイブされている間は、何も作成されません。作成済みの項目は残ります。',
  },
  next: { en: 'Next', ja: '次回' },
  later: { en: 'Not made yet', ja: '未作成' },
  skipped: {
    en: (number: number | null) => (number === null ? 'Skipped.' : `Skipped: #${number} is archived.`),
    ja: number => (number === null ? 'スキップしました。' : `スキップしました。#${number} はアーカイブされました。`),
  },
  moved: {
    en: (number: number | null, to: string) =>
      number === null ? `Moved to ${to}.` : `Moved: #${number} is now on ${to}.`,
    ja: (number, to) =>
      number === null ? `${to} に移動しました。` : `移動しました。#${number} は ${to} になりました。`,
  },
  skip: { en: 'Skip next', ja: '次回をスキップ' },
  move: { en: 'Move next', ja: '次回を移動' },
  to: { en: 'New date and time', ja: '新しい日時' },
  hint: {
    en: (zone: string) => `In ${zone}, for example 2027-04-01 09:00. Other dates stay.`,
    ja: (zone: string) => `${zone} の時刻で入力してください（例: 2027-04-01 09:00）。ほかの回は変わりません。`,
  },
  hintDay: { en: 'For example 2027-04-01. Other dates stay.', ja: '例: 2027-04-01。ほかの回は変わりません。' },
})

const refusals = {
  en: {
    'invalid_argument to': 'Give a date and a time that are still to come, like 2027-04-01 09:00.',
    'conflict template_ref': 'The next occurrence has changed meanwhile. Look at it and try again.',
    'invalid_argument template_ref': 'The template has no next occurrence.',
    'invalid_argument recurrence_rule': 'Nothing would be left of the series, or it has too many exceptions.',
  },
  ja: {
    'invalid_argument to': 'これからの日時を入力してください（例: 2027-04-01 09:00）。',
    'conflict template_ref': '次回の日時がその間に変わりました。確認してからもう一度お試しください。',
    'invalid_argument template_ref': 'このテンプレートに次回はありません。',
    'invalid_argument recurrence_rule': 'シリーズに何も残らないか、例外が多すぎます。',
  },
}

const RECURRENCE = `${ITEM}#recurrence`

/** Skips the next occurrence of the template of the page. */
export const skipForm = defineItemForm({
  path: `${ITEM}/occurrences/skip`,
  to: RECURRENCE,
  fields: { next: fields.text({ max: 40 }) },
  refusals,
  run: (ctx, ref, { next }) => changeNext(ctx, ref, { expected: next, to: null }),
  notice: (language, _input, { number }) => texts(language).skipped(number),
})

/** Moves the next occurrence of the template of the page. */
export const moveForm = defineItemForm({
  path: `${ITEM}/occurrences/move`,
  to: RECURRENCE,
  fields: { next: fields.text({ max: 40 }), to: fields.text({ max: 40 }) },
  refusals,
  run: (ctx, ref, { next, to }) => changeNext(ctx, ref, { expected: next, to }),
  notice: (language, _input, { number, to }, visit) => texts(language).moved(number, formatDayIn(visit, to!)),
})

/** Number of occurrences shown. */
const MAX_OCCURRENCES = 3

export const recurrencePanel = itemPanels<{
  readonly schedule: Schedule
  readonly made: readonly MadeAhead[]
  readonly next: readonly Date[]
} | null>({
  rank: 5,
  async load(ctx, { ref, fields: { type } }) {
    if (type !== 'task_template') return null
    const item = await requireItem(ctx, ref)
    const schedule = await readSchedule(ctx, item)
    if (!schedule) return null
    const { nextAt, makes } = schedule
    return {
      schedule,
      made: makes === 'event' ? await readItemsMadeAhead(ctx, item, MAX_OCCURRENCES) : [],
      next: nextAt === null ? [] : upcoming(schedule, new Date(Date.parse(nextAt) - 1), MAX_OCCURRENCES),
    }
  },
  view(visit, { role, project }, data) {
    if (!data) return null
    const t = texts(visit.language)
    const { schedule, made, next } = data
    // In the time zone of the series, as the form reads it, and not in that of the owner.
    const dueOf = ({ dueDate, dueTime }: MadeAhead): string => {
      const at = dueTime === null ? null : instantOf(Date.parse(`${dueDate}T${dueTime}Z`), schedule.ownerZone)
      return at === null ? (dueDate ?? '') : formatWall(schedule, new Date(at))
    }
    // What takes place first: an item that was made ahead of time, or else the next of the rule.
    const first = made[0]
      ? { at: made[0].occurrence, shown: dueOf(made[0]) }
      : next[0] && { at: schedule.nextAt!, shown: formatWall(schedule, next[0]) }
    const runs = schedule.enabled && !project.archived
    const changeable = first && runs && role !== 'viewer'
    return html`<h2 id="recurrence">${t.title}</h2>
      <p>${describeRule(schedule.rule, visit.language)} <span class="quiet">${schedule.timezone}</span></p>
      ${!runs ? html`<p class="quiet">${t.paused}</p>` : !first && html`<p class="quiet">${t.ended}</p>`}
      ${made.length > 0 && html`<p>${t.next}: ${made.map((each, n) => html`${n > 0 && ', '}<a href="${addressOf(ITEM, { ...visit.params, number: String(each.number) })}">#${each.number}</a> ${formatDayIn(visit, dueOf(each))}`)}</p>`}
      ${next.length > 0 && html`<p>${made.length > 0 ? t.later : t.next}: ${next.map(at => formatDayIn(visit, formatWall(schedule, at))).join(', ')}</p>`}
      ${
        changeable &&
        html`${skipForm.button(visit, t.skip, { values: { next: first.at }, kind: 'plain', about: formatDayIn(visit, first.shown) })}
        ${disclosure(
          visit,
          t.move,
          moveForm.view(
            visit,
            form =>
              html`${form.hidden('next', first.at)}
              ${form.input('to', { label: t.to, value: first.shown, hint: isAllDay(schedule) ? t.hintDay : t.hint(schedule.timezone) })}`,
            { submit: t.move },
          ),
        )}`
      }`
  },
})
