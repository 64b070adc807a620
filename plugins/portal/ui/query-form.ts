import { ToolError } from 'tasuki/plugin'
import { html, type Child, type Html } from '../html.ts'
import type { Language } from '../language.ts'
import { refusalText } from './refusals.ts'

/** Renders a form for the parameter `q` of a page: words and filters. @param problem why `q` could not be read; null without one */
export function queryForm(
  path: string,
  { q, problem, ...texts }: Readonly<Record<'q' | 'label' | 'hint' | 'submit' | 'clear', string> & { problem: Child }>,
): Html {
  return html`<form method="get" action="${path}" class="filter" role="search">
    <label for="q">${texts.label}</label>
    <input id="q" name="q" value="${q}" aria-describedby="q-hint" autocapitalize="off" spellcheck="false" />
    <button type="submit" class="plain">${texts.submit}</button>
    ${q !== '' && html`<a href="${path}">${texts.clear}</a>`}
    <p class="hint" id="q-hint">${texts.hint}</p>
    ${problem !== null && html`<p class="problem" role="alert">${problem}</p>`}
  </form>`
}

/** Returns why `q` could not be read: users type filters by hand. @throws any other error */
export function queryProblem(language: Language, error: unknown): Child {
  if (!(error instanceof ToolError) || error.help.field !== 'q') throw error
  return refusalText(language, error)
}
