import { html } from '../html.ts'
import type { Answer } from '../page.ts'
import { secondFactorTexts } from '../pages/second-factor-texts.ts'
import type { Visit } from '../visit.ts'
import { codeBlock } from './parts.ts'

/** Returns the page that shows new recovery codes, only once. @param onward path to continue to */
export function codesAnswer({ language }: Visit, codes: readonly string[], onward: string): Answer {
  const t = secondFactorTexts(language)
  return {
    title: t.codesTitle,
    view: html`<h1>${t.codesTitle}</h1>
      <p class="lead">${t.codesLead}</p>
      ${codeBlock(codes.join('\n'))}
      <p class="actions"><a class="button" href="${onward}">${t.codesDone}</a></p>`,
  }
}
