import { attributes, html, type Child, type Html } from '../html.ts'
import type { ListedProject } from '../projects.ts'
import type { Visit } from '../visit.ts'
import { partTexts } from './texts.ts'

/** An instant as the person writes it, in their time zone. @param at ISO 8601; null = never */
export function instant(visit: Visit, at: string | null): Child {
  if (at === null) return partTexts(visit.language).never
  const format = new Intl.DateTimeFormat(visit.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: visit.session?.timeZone ?? 'UTC',
  })
  return html`<time datetime="${at}">${format.format(new Date(at))}</time>`
}

/** How lists of choices name a project. */
export function projectLabel({ key, name }: Pick<ListedProject, 'key' | 'name'>): string {
  return `${key} – ${name}`
}

/** Labels by id of the projects that may be chosen: those that are not archived. */
export function openProjects(projects: readonly ListedProject[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    projects.filter(({ archived }) => !archived).map(project => [project.id, projectLabel(project)]),
  )
}

export interface Column<Row> {
  readonly title: string
  cell(row: Row): Child
}

/** More columns than these do not fit beside each other on a telephone. */
const NARROW = 2

/**
 * A table. The first column names the row. On narrow screens the rows of a wide one become blocks of labelled values, so that nothing is
 * reached by scrolling alone; the roles stay there, since a browser takes them from tables that are laid out as something else.
 */
export function table<Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  const [first, ...others] = columns
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">
    <table role="table" ${attributes({ class: columns.length > NARROW && 'stack' })}>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ title }) => html`<th scope="col" role="columnheader">${title}</th>`)}
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

/** A table, or a note where there are no rows. */
export function tableOr<Row>(
  note: string,
  caption: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Html {
  return rows.length === 0 ? html`<p class="quiet">${note}</p>` : table(caption, rows, columns)
}

/** Text to copy, as it is. */
export function codeBlock(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}
