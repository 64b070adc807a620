import { structuredPatch } from 'diff'
import { html, type Html } from '../../html.ts'
import type { Visit } from '../../visit.ts'
import { itemTexts } from './texts.ts'

/** Milliseconds after which the comparison of two very different texts is given up, and all of both is shown. */
const DIFF_MS = 500

interface Line {
  readonly sign: '+' | '-' | ' '
  readonly old: number | null
  readonly fresh: number | null
  readonly text: string
}

/** Two texts line by line, changed lines with some around them, as one table. */
export function diffView({ language }: Visit, before: string, after: string): Html {
  const t = itemTexts(language)
  const says = { '+': t.added, '-': t.removed, ' ': '' }
  const classes = { '+': 'added', '-': 'removed', ' ': '' }
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${t.compare}">
    <table class="diff">
      <caption class="unseen">
        ${t.between}
      </caption>
      <thead>
        <tr>
          <th scope="col"><span class="unseen">${t.oldLine}</span>−</th>
          <th scope="col"><span class="unseen">${t.newLine}</span>+</th>
          <th scope="col">${t.line}</th>
        </tr>
      </thead>
      ${hunksOf(before, after).map(
        lines =>
          html`<tbody>
            ${lines.map(({ sign, old, fresh, text }) => {
              const content = sign === '+' ? html`<ins>${text}</ins>` : sign === '-' ? html`<del>${text}</del>` : text
              return html`<tr class="${classes[sign]}">
                <td>${old}</td>
                <td>${fresh}</td>
                <td>${says[sign] && html`<span class="unseen">${says[sign]}: </span>`}${content}</td>
              </tr>`
            })}
          </tbody>`,
      )}
    </table>
  </div>`
}

function hunksOf(before: string, after: string): readonly (readonly Line[])[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: DIFF_MS })
  if (!patch) {
    const all = [...before.split('\n').map(line => `-${line}`), ...after.split('\n').map(line => `+${line}`)]
    return [numbered(all, 1, 1)]
  }
  return patch.hunks.map(({ lines, oldStart, newStart }) => numbered(lines, oldStart, newStart))
}

function numbered(lines: readonly string[], oldStart: number, newStart: number): Line[] {
  let [old, fresh] = [oldStart, newStart]
  return lines.flatMap((line): Line[] => {
    const sign = line[0]
    const text = line.slice(1)
    if (sign === '-') return [{ sign, old: old++, fresh: null, text }]
    if (sign === '+') return [{ sign, old: null, fresh: fresh++, text }]
    // What is left says that there is no line break at the end.
    return sign === ' ' ? [{ sign, old: old++, fresh: fresh++, text }] : []
  })
}
