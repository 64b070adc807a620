import { html, type Child, type Html } from '../html.ts'
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

export interface Column<Row> {
  readonly title: string
  cell(row: Row): Child
}

/** A table in a frame that scrolls on narrow screens. The first column names the row. */
export function table<Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  const [first, ...others] = columns
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          row =>
            html`<tr>
              <th scope="row">${first!.cell(row)}</th>
              ${others.map(({ cell }) => html`<td>${cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Text to copy, as it is. */
export function codeBlock(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`
}
