import { date, plusDays, time, Type } from 'tasuki/plugin'
import { dayIn, listItems, overdueCheck, titleParam } from '../../items/index.ts'
import {
  addressOf,
  addressWith,
  attributes,
  defineForm,
  defineProjectPage,
  fields,
  html,
  itemAddress,
  noticeWithWarnings,
} from '../../portal/index.ts'
import type { Html, ItemFields, UserVisit } from '../../portal/index.ts'
import { access } from '../../projects/index.ts'
import { createEvent } from '../create.ts'
import { eventSeries } from '../points.ts'
import { monthOf } from './month.ts'
import { calendarTexts } from './texts.ts'

const PATH = '/projects/:key/calendar'
/** Maximum number of events, and of tasks, on the page. */
const MAX = 300

const NewEvent = Type.Object({
  title: titleParam,
  due_date: date('YYYY-MM-DD.'),
  due_time: Type.Optional(time('HH:MM.')),
  recurrence_rule: Type.Optional(Type.String({ maxLength: 1000 })),
})

const noticeWith = noticeWithWarnings({
  'No event is on {day}: the first by the rule is on {first}.': '{day} には予定がありません。初回は {first} です。',
})

const addForm = defineForm({
  path: PATH,
  fields: {
    title: fields.text({ max: 200 }),
    due_date: fields.text({ max: 10 }),
    due_time: fields.text({ max: 5, optional: true }),
    recurrence_rule: fields.text({ max: 1000, optional: true }),
  },
  async run(visit, input) {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ''))
    const event = visit.services.inputChecker(NewEvent)(given)
    const made = await visit.write(ctx => createEvent(ctx, { ...event, project_key: visit.params['key']! }))
    const { next_occurrences: [next = event.due_date] = [] } = made as { readonly next_occurrences?: readonly string[] }
    // The first of a series may be in a later month than the day from which its rule counts.
    const first = next.length === 10 ? next : dayIn(visit.session.timeZone, new Date(next))
    const to = addressWith(addressOf(PATH, visit.params), { month: first.slice(0, 7) })
    return { to, notice: noticeWith(visit, calendarTexts(visit.language).added(event.title), made) }
  },
})

interface Entry extends Pick<ItemFields, 'ref' | 'title' | 'due_time' | 'system_status'> {
  readonly due_date: string
  readonly isEvent: boolean
  readonly overdue: boolean
}

/** The events of a project by month, and its tasks on the day they are due. */
export const calendarPage = defineProjectPage({
  path: PATH,
  name: language => calendarTexts(language).title,
  menu: { place: 'project', rank: 12, feature: 'calendar' },
  wide: true,
  forms: [addForm],
  async load(ctx, { project }, { params, query, refused }) {
    const today = dayIn(access(ctx).timeZone, ctx.now)
    // A refused form is shown with the month of its day: its address names none.
    const month = monthOf(query['month'] ?? String(refused?.body['due_date'] ?? '').slice(0, 7), today)
    const days = month.weeks.flat()
    const shape = {
      project_key: params['key']!,
      include_detail: false,
      due_after: plusDays(days[0]!, -1),
      due_before: plusDays(days.at(-1)!, 1),
      limit: MAX,
    }
    const events = await listItems(ctx, 'event', shape, { feature: 'calendar' })
    const tasks = await listItems(ctx, 'task', shape)
    const isOverdue = overdueCheck(ctx, project.ownerId)
    return {
      today,
      month,
      events: events.items.map(row => ({ ...row, isEvent: true, overdue: false }) as unknown as Entry),
      tasks: tasks.items.map(row => ({ ...row, isEvent: false, overdue: isOverdue(row) }) as unknown as Entry),
      more: events.has_more || tasks.has_more,
      repeats: ctx.all(eventSeries).length > 0,
    }
  },
  view(visit, { project, role, today, month, events, tasks, more, repeats }) {
    const t = calendarTexts(visit.language)
    const format = (options: Intl.DateTimeFormatOptions) => {
      const { format: shown } = new Intl.DateTimeFormat(visit.language, { ...options, timeZone: 'UTC' })
      return (day: string): string => shown(new Date(day))
    }
    const [weekday, dayOfMonth] = [format({ weekday: 'short' }), format({ day: 'numeric' })]
    // Those of the whole day come first.
    const entries = [...events, ...tasks].toSorted((a, b) => (a.due_time ?? '').localeCompare(b.due_time ?? ''))
    const to = (name: string): string => addressWith(addressOf(PATH, visit.params), { month: name })
    const cell = (day: string): Html => {
      const kind = [day === today && 'today', !day.startsWith(month.name) && 'other'].filter(Boolean).join(' ')
      const own = entries.filter(({ due_date: due }) => due === day)
      return html`<td ${attributes({ class: kind || null, 'aria-current': day === today ? 'date' : null })}>
        <time datetime="${day}"><span class="weekday">${weekday(day)} </span>${dayOfMonth(day)}</time>
        ${
          own.length > 0 &&
          html`<ul>
            ${own.map(entry => entryView(visit, entry))}
          </ul>`
        }
      </td>`
    }
    const day = today.startsWith(month.name) ? today : `${month.name}-01`
    const name = format({ year: 'numeric', month: 'long' })(`${month.name}-01`)
    return html`<h1>${name}</h1>
      <p class="lead">${t.lead} ${repeats && t.ahead}</p>
      <p class="actions">
        <a href="${to(month.previous)}">${t.previous}</a>
        <a href="${addressOf(PATH, visit.params)}">${t.today}</a>
        <a href="${to(month.next)}">${t.next}</a>
      </p>
      ${more && html`<p class="quiet">${t.more(MAX)}</p>`}
      ${events.length + tasks.length === 0 && html`<p class="quiet">${t.none}</p>`}
      <table class="calendar" aria-label="${name}">
        <thead>
          <tr>
            ${month.weeks[0]!.map(day => html`<th scope="col">${weekday(day)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${month.weeks.map(
            days =>
              html`<tr>
                ${days.map(cell)}
              </tr>`,
          )}
        </tbody>
      </table>
      ${role !== 'viewer' && !project.archived && addView(visit, { day, repeats })}`
  },
})

function entryView({ params, language }: UserVisit, entry: Entry): Html {
  const t = calendarTexts(language)
  const { ref, title, due_time: at, system_status: status, isEvent, overdue } = entry
  const kind = isEvent ? (at ?? t.allDay) : [t.task, at].filter(Boolean).join(' ')
  return html`<li ${attributes({ class: isEvent ? 'event' : null })}>
    <a href="${itemAddress(params['key']!, ref)}"
      ><span class="quiet">${kind}</span>
      ${overdue && html`<span class="tag bad">${t.overdue}</span> `}${!isEvent && status === 'closed' ? html`<s>${title}</s>` : title}</a
    >
  </li>`
}

function addView(visit: UserVisit, { day, repeats }: { readonly day: string; readonly repeats: boolean }): Html {
  const t = calendarTexts(visit.language)
  return html`<h2>${t.add}</h2>
    ${addForm.view(
      visit,
      form =>
        html`${form.input('title', { label: t.name })}
        ${form.input('due_date', { label: t.day, type: 'date', value: day })}
        ${form.input('due_time', { label: t.time, type: 'time', optional: true, hint: t.timeHint })}
        ${repeats && form.input('recurrence_rule', { label: t.repeats, optional: true, hint: t.repeatsHint })}`,
      { submit: t.create },
    )}`
}
