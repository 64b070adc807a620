import { dateOf } from 'tasuki/plugin'
import { attributes, html, type Child, type Html } from '../html.ts'
import type { AnyForm } from '../page.ts'
import type { ListedProject } from '../projects.ts'
import type { Visit } from '../visit.ts'
import { partTexts } from './texts.ts'

/** Formats a time in the user's language and time zone. @param at ISO 8601; null = never */
export function formatInstant(visit: Visit, at: string | null): Child {
  if (at === null) return partTexts(visit.language).never
  const timeZone = visit.session?.timeZone ?? 'UTC'
  const format = dateFormat(visit.language, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return html`<time datetime="${at}">${format.format(new Date(at))}</time>`
}

/** Formats a day, such as that of a due date, in the user's language; the current year is omitted. @param day YYYY-MM-DD */
export function formatDay({ language, now }: Visit, day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  const year = date.getUTCFullYear() === now.getUTCFullYear() ? {} : ({ year: 'numeric' } as const)
  return dateFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC', ...year }).format(date)
}

/** Formats the day that a text consists of, or has before a time of day; other texts stay. */
export function formatDayIn(visit: Visit, text: string): string {
  const isDay = (day: string): boolean => !Number.isNaN(Date.parse(day)) && dateOf(Date.parse(day)) === day
  return text.replace(/^\d{4}-\d\d-\d\d(?=$| \d\d:\d\d$)/, day => (isDay(day) ? formatDay(visit, day) : day))
}

const dateFormats = new Map<string, Intl.DateTimeFormat>()

function dateFormat(language: Visit['language'], options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  // Creating a format takes a hundred times as long as using it.
  const key = JSON.stringify([language, options])
  const made = dateFormats.get(key) ?? new Intl.DateTimeFormat(language, options)
  dateFormats.set(key, made)
  return made
}

/** Returns the label of a project in selects. */
export function projectLabel({ key, name }: Pick<ListedProject, 'key' | 'name'>): string {
  return `${key} – ${name}`
}

/** Returns the labels of projects that are not archived, by id. */
export function openProjects(projects: readonly ListedProject[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    projects.filter(({ archived }) => !archived).map(project => [project.id, projectLabel(project)]),
  )
}

export interface Column<Row> {
  readonly title: string
  cell(row: Row): Child
}

type Columns<Row> = readonly (Column<Row> | false)[]

/** Maximum number of columns that fit side by side on a phone. */
const NARROW = 2

/**
 * Renders a table. The first column names the row; a column may be false. On narrow screens, the rows of a wide table become blocks of
 * labelled values, so that nothing requires horizontal scrolling; explicit roles keep it a table, since browsers drop table semantics
 * with another CSS display.
 */
export function table<Row>(caption: string, rows: readonly Row[], columns: Columns<Row>): Html {
  const shown = columns.filter(column => column !== false)
  const [first, ...others] = shown
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">
    <table role="table" ${attributes({ class: shown.length > NARROW && 'stack' })}>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${shown.map(({ title }) => html`<th scope="col" role="columnheader">${title}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          row =>
            html`<tr role="row">
              <th scope="row" role="rowheader">${first!.cell(row)}</th>
              ${others.map(({ title, cell }) => html`<td role="cell" data-label="${title}">${cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Renders a table, or a note if there are no rows. */
export function tableOr<Row>(note: string, caption: string, rows: readonly Row[], columns: Columns<Row>): Html {
  return rows.length === 0 ? html`<p class="quiet">${note}</p>` : table(caption, rows, columns)
}

/** Renders names and values; omits values that are null, undefined or false. */
export function descriptionList(rows: readonly (readonly [name: string, value: Child])[]): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false)
  return html`<dl>
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** Renders a framed part of a page, for example a form that creates something. */
export function card(title: string, content: Child): Html {
  return html`<div class="card">
    <h2>${title}</h2>
    ${content}
  </div>`
}

/** Renders a part that the user can open, for example a form for editing; it is open if its form was rejected. */
export function disclosure({ refused }: Pick<Visit, 'refused'>, title: Child, content: Html): Html {
  const open = refused !== null && content.text.includes(html`action="${refused.address}"`.text)
  return html`<details class="edit" ${attributes({ open })}>
    <summary>${title}</summary>
    <div>${content}</div>
  </details>`
}

/** Renders the word "Delete", which opens what is lost and the button of the form. @param about what is deleted, for screen readers */
export function deletion(
  visit: Visit,
  form: Pick<AnyForm, 'button'>,
  { about, lost, params }: { readonly about: string; readonly lost: Child; readonly params: Visit['params'] },
): Html {
  const label = partTexts(visit.language).delete
  const button = form.button(visit, label, { params, kind: 'danger', about, inline: false })
  const title = html`${label}<span class="unseen"> ${about}</span>`
  return disclosure(
    visit,
    title,
    html`<p>${lost}</p>
      ${button}`,
  )
}

/** Renders text to copy. */
export function codeBlock(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}
