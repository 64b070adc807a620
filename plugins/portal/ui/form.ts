import type { Fields } from '../fields.ts'
import { attributes, html, type Child, type Html } from '../html.ts'
import { hasFileFields } from '../posted-form.ts'
import type { Visit } from '../visit.ts'
import { createControls, fieldId, nameFields, type Controls, type SubmitOptions } from './controls.ts'
import { partTexts } from './texts.ts'

/** The name of the hidden field with the proof. */
export const PROOF = 'proof'
/** The name of the hidden field that tells two posts of one page from posts of two. */
export const ONCE = 'once'

/** @returns the URL of a form or page with its path parameters */
export function addressOf(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(params[name]!))
}

/** The parts of a form that its view uses. */
interface Posted<F extends Fields> {
  readonly path: string
  readonly fields: F
}

/** How a page shows a form. */
export interface FormOptions {
  /** Parameters of its path that the address of the page does not have. */
  readonly params?: Readonly<Record<string, string>>
  /** Renders the form within a line, for example in a table cell. */
  readonly inline?: boolean
}

export interface ViewOptions extends FormOptions {
  /** Label of a button at the end; without it, the content has the buttons. */
  readonly submit?: string
}

export interface ButtonOptions<Name extends string> extends FormOptions, Omit<SubmitOptions, 'name' | 'value'> {
  /** Hidden fields. */
  readonly values?: Readonly<Partial<Record<Name, string>>>
}

/** Renders a form with its proof; `content` renders its body. */
export function formView<F extends Fields>(
  visit: Visit,
  form: Posted<F>,
  content: (controls: Controls<keyof F & string>) => Html,
  { params, inline = false, submit }: ViewOptions = {},
): Html {
  const address = addressOf(form.path, { ...visit.params, ...params })
  const refused = visit.refused?.address === address ? visit.refused : null
  const controls = createControls(visit, { address, fields: form.fields }, refused)
  return html`<form
    method="post"
    action="${address}"
    ${attributes({
      enctype: hasFileFields(form.fields) ? 'multipart/form-data' : null,
      class: inline ? 'inline' : 'form',
      novalidate: !inline,
    })}
  >
    <input type="hidden" name="${PROOF}" value="${visit.proof(address)}" />
    <input type="hidden" name="${ONCE}" value="${visit.pageId}" />${content(controls)}
    ${submit !== undefined && html`<p class="actions">${controls.submit(submit)}</p>`}
  </form>`
}

/** Renders a form that is one button, within a line unless `inline` is false. */
export function buttonView<F extends Fields>(
  visit: Visit,
  form: Posted<F>,
  label: string,
  { values, params = {}, inline = true, ...submit }: ButtonOptions<keyof F & string> = {},
): Html {
  const hidden = Object.entries<string | undefined>(values ?? {})
  return formView(
    visit,
    form,
    controls => html`${hidden.map(([name, value]) => controls.hidden(name, value!))} ${controls.submit(label, submit)}`,
    { params, inline },
  )
}

/** Lists all problems with links to their fields, for the top of the page; must be rendered after it. */
export function problemSummary(visit: Visit): Html | null {
  const { refused } = visit
  if (!refused) return null
  const { summary } = partTexts(visit.language)
  const problems = Object.entries(refused.problems).map(([name, text]) => [name, nameFields(refused, text)] as const)
  const items = problems.map(([name, problem]) =>
    name === ''
      ? html`<li>${problem}</li>`
      : html`<li><a href="#${fieldId(refused.address, name)}">${withLabel(refused.labels.get(name), problem)}</a></li>`,
  )
  return html`<div class="summary" role="alert" tabindex="-1" autofocus aria-labelledby="summary-title">
    <h2 id="summary-title">${summary}</h2>
    <ul>
      ${items}
    </ul>
  </div>`
}

function withLabel(label: string | undefined, problem: Child): Child {
  return label === undefined ? problem : html`${label}: ${problem}`
}
