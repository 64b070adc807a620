import { setImmediate } from 'node:timers/promises'
import { html, type Child, type Html, type Visit } from '../../portal/index.ts'
import { compareLines, countLines } from '../compare-lines.ts'
import { itemTexts } from './texts.ts'

interface Line {
  readonly sign: '+' | '-' | ' '
  readonly old: number | null
  readonly fresh: number | null
  readonly text: string
}

/** The layout of a comparison. */
export type DiffLayout = 'unified' | 'side'

/** Renders changed lines with context as a table; side by side on wide screens. */
export function diffView({ language }: Visit, { hunks, more }: Comparison, layout: DiffLayout): Html {
  const t = itemTexts(language)
  const note = more > 0 && html`<p class="quiet">${t.moreLines(new Intl.NumberFormat(language).format(more))}</p>`
  if (layout === 'unified') return html`${unifiedTable(t, hunks)}${note}`
  // Renders both layouts; the style sheet hides one of them, also from screen readers.
  return html`<div class="when-wide">${sideTable(t, hunks)}</div>
    <div class="when-narrow">${unifiedTable(t, hunks)}</div>
    ${note}`
}

type T = ReturnType<typeof itemTexts>
type Hunks = readonly (readonly Line[])[]

/** The visible part of a comparison, and the number of lines left out. */
export interface Comparison {
  readonly hunks: Hunks
  readonly more: number
}

/** Maximum number of lines in a comparison: rendering more takes longer than a turn of the event loop may. */
const MAX_LINES = 1_500

function unifiedTable(t: T, hunks: Hunks): Html {
  const heads = [
    html`<th scope="col"><span class="unseen">${t.oldLine}</span>−</th>`,
    html`<th scope="col"><span class="unseen">${t.newLine}</span>+</th>`,
    html`<th scope="col">${t.line}</th>`,
  ]
  const classes = { '+': 'added', '-': 'removed', ' ': '' }
  const rowOf = (line: Line): Html =>
    html`<tr class="${classes[line.sign]}">
      <td>${line.old}</td>
      <td>${line.fresh}</td>
      <td>${lineContent(t, line)}</td>
    </tr>`
  return diffTable(t, { kind: 'diff', heads, hunks: hunks.map(lines => lines.map(rowOf)) })
}

function sideTable(t: T, hunks: Hunks): Html {
  const columns = html`<colgroup>
    <col class="number" />
    <col />
    <col class="number" />
    <col />
  </colgroup>`
  const heads = [html`<th scope="col" colspan="2">${t.before}</th>`, html`<th scope="col" colspan="2">${t.now}</th>`]
  const rowOf = ({ left, right }: Pair): Html =>
    html`<tr>
      ${sideCells(t, left, left?.old ?? null, 'removed')}${sideCells(t, right, right?.fresh ?? null, 'added')}
    </tr>`
  return diffTable(t, { kind: 'diff side', columns, heads, hunks: hunks.map(lines => pairsOf(lines).map(rowOf)) })
}

function sideCells(t: T, line: Line | null, number: number | null, kind: 'added' | 'removed'): Html {
  const shade = line === null ? 'absent' : line.sign === ' ' ? '' : kind
  return html`<td class="${shade}">${number}</td>
    <td class="${shade}">${line && lineContent(t, line)}</td>`
}

function lineContent(t: T, { sign, text }: Line): Child {
  if (sign === '+') return html`<span class="unseen">${t.added}: </span><ins>${text}</ins>`
  if (sign === '-') return html`<span class="unseen">${t.removed}: </span><del>${text}</del>`
  return text
}

interface Table {
  readonly kind: string
  readonly columns?: Html
  readonly heads: readonly Html[]
  /** The rows of each hunk. */
  readonly hunks: readonly (readonly Html[])[]
}
function diffTable(t: T, { kind, columns, heads, hunks }: Table): Html {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${t.compare}">
    <table class="${kind}">
      <caption class="unseen">
        ${t.between}
      </caption>
      ${columns}
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      ${hunks.map(
        rows =>
          html`<tbody>
            ${rows}
          </tbody>`,
      )}
    </table>
  </div>`
}

interface Pair {
  readonly left: Line | null
  readonly right: Line | null
}

/** Pairs each removed line with the line that replaced it. */
function pairsOf(lines: readonly Line[]): readonly Pair[] {
  const pairs: Pair[] = []
  let [removed, added]: [Line[], Line[]] = [[], []]
  const flush = (): void => {
    for (let n = 0; n < Math.max(removed.length, added.length); n++)
      pairs.push({ left: removed[n] ?? null, right: added[n] ?? null })
    ;[removed, added] = [[], []]
  }
  for (const line of lines) {
    if (line.sign === '-') {
      // A removal after an addition starts a new change.
      if (added.length > 0) flush()
      removed.push(line)
    } else if (line.sign === '+') added.push(line)
    else {
      flush()
      pairs.push({ left: line, right: line })
    }
  }
  flush()
  return pairs
}

/** Compares two texts; if they differ too much, returns the beginning of both. */
export async function hunksOf(before: string, after: string): Promise<Comparison> {
  const found = await compareLines(before, after)
  // The comparison may have used its turn of the event loop; the page follows in another one.
  await setImmediate()
  if (!found) {
    const half = MAX_LINES / 2
    const beginning = (text: string, sign: string) => text.split('\n', half).map(line => sign + line)
    const shown = [...beginning(before, '-'), ...beginning(after, '+')]
    return { hunks: [numberLines(shown, 1, 1)], more: countLines(before) + countLines(after) - shown.length }
  }
  let left = MAX_LINES
  let more = 0
  const hunks = found.flatMap(({ lines, oldStart, newStart }) => {
    const shown = lines.slice(0, left)
    left -= shown.length
    more += lines.length - shown.length
    return shown.length === 0 ? [] : [numberLines(shown, oldStart, newStart)]
  })
  return { hunks, more }
}

function numberLines(lines: readonly string[], oldStart: number, newStart: number): Line[] {
  let [old, fresh] = [oldStart, newStart]
  return lines.flatMap((line): Line[] => {
    const sign = line[0]
    const text = line.slice(1)
    if (sign === '-') return [{ sign, old: old++, fresh: null, text }]
    if (sign === '+') return [{ sign, old: null, fresh: fresh++, text }]
    // Only the marker for a missing final line break is left.
    return sign === ' ' ? [{ sign, old: old++, fresh: fresh++, text }] : []
  })
}
