import { valuesOf, type Fields } from '../fields.ts'
import { attributes, html, type Child, type Html } from '../html.ts'
import { hasFileFields } from '../posted-form.ts'
import type { RefusedForm, Visit } from '../visit.ts'
import { partTexts } from './texts.ts'

/** The name of the hidden field with the proof. */
export const PROOF = 'proof'

interface Labelled {
  readonly label: string
  readonly hint?: Child
}
export interface InputOptions extends Labelled {
  readonly type?: 'text' | 'email' | 'password' | 'number'
  readonly value?: string | number
  readonly optional?: boolean
  /** An autofill token of the HTML standard, for example `current-password`. */
  readonly autocomplete?: string
  readonly maxlength?: number
  readonly min?: number
  readonly max?: number
  /** Id of a datalist with suggestions. */
  readonly list?: string
  readonly readonly?: boolean
  /** For text in no natural language: no autocorrection, no capitalization. */
  readonly code?: boolean
}
export interface ChoiceOptions extends Labelled {
  /** Label by value. */
  readonly options: Readonly<Record<string, string>>
  readonly value?: string
  /** Shows the label only to screen readers, because the table row explains the control. */
  readonly unseen?: boolean
}

/** The controls of one form; after an error they contain the entered values, except passwords. */
export interface Controls<Name extends string> {
  input(name: Name, options: InputOptions): Html
  area(
    name: Name,
    options: Labelled & { readonly value?: string; readonly rows?: number; readonly optional?: boolean },
  ): Html
  select(name: Name, options: ChoiceOptions): Html
  radios(name: Name, options: ChoiceOptions & { readonly hints?: Readonly<Record<string, string>> }): Html
  /** Checkboxes with the same name. */
  ticks(
    name: Name,
    options: Labelled & { readonly options: Readonly<Record<string, string>>; readonly values?: readonly string[] },
  ): Html
  tick(name: Name, options: Labelled & { readonly value?: boolean }): Html
  /** A file input; the choice is lost after an error. */
  file(name: Name, options: Labelled & { readonly accept?: string }): Html
  hidden(name: Name, value: string): Html
  submit(label: string, options?: SubmitOptions<Name>): Html
}
interface SubmitOptions<Name extends string = string> {
  readonly kind?: 'primary' | 'plain' | 'danger'
  readonly name?: Name
  readonly value?: string
  /** The object of the action, for screen readers, because others see the table row. */
  readonly about?: string
}

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
  const controls = controlsOf(visit, address, refused)
  return html`<form
    method="post"
    action="${address}"
    ${attributes({
      enctype: hasFileFields(form.fields) ? 'multipart/form-data' : null,
      class: inline ? 'inline' : 'form',
      novalidate: !inline,
    })}
  >
    <input type="hidden" name="${PROOF}" value="${visit.proof(address)}" />${content(controls)}
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
  const items = Object.entries(refused.problems).map(([name, problem]) =>
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

/** A page may have several forms with a field of the same name. */
function fieldId(address: string, name: string): string {
  return `${address.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}-${name}`
}

function controlsOf(visit: Visit, address: string, refused: RefusedForm | null): Controls<string> {
  const { body = null, problems = {} } = refused ?? {}
  const texts = partTexts(visit.language)
  const typed = (name: string, value: string): string => (body ? (valuesOf(body, name)[0] ?? '') : value)
  const isTicked = (name: string, value: string, before: boolean): boolean =>
    body ? valuesOf(body, name).includes(value) : before
  /** Returns the ids and texts of a control. */
  const about = (name: string, { label: text, hint }: Labelled) => {
    refused?.labels.set(name, text)
    const id = fieldId(address, name)
    const problem = problems[name]
    const described = [hint ? `${id}-hint` : null, problem ? `${id}-problem` : null].filter(Boolean).join(' ')
    return {
      id,
      hint: hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null,
      problem: problem === undefined ? null : html`<p class="problem" id="${id}-problem">${problem}</p>`,
      described: { 'aria-describedby': described || null, 'aria-invalid': problem === undefined ? null : 'true' },
    }
  }
  const label = (id: string, text: string, optional = false, unseen = false): Html =>
    html`<label ${attributes({ for: id, class: unseen ? 'unseen' : null })}
      >${text}${optional && html` <span class="optional">(${texts.optional})</span>`}</label
    >`
  const group = (name: string, options: Labelled, content: Child): Html => {
    const { id, hint, problem, described } = about(name, options)
    return html`<fieldset class="field" id="${id}" tabindex="-1" ${attributes(described)}>
      <legend>${options.label}</legend>
      ${hint}${problem}${content}
    </fieldset>`
  }
  return {
    input(name, options) {
      const { id, hint, problem, described } = about(name, options)
      const {
        type = 'text',
        value = '',
        optional = false,
        autocomplete,
        maxlength,
        min,
        max,
        list,
        readonly,
        code,
      } = options
      const field = attributes({
        id,
        name,
        type,
        value: type === 'password' ? null : typed(name, String(value)),
        required: !optional,
        autocomplete: autocomplete ?? 'off',
        maxlength,
        min,
        max,
        list,
        readonly,
        ...(code && { autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false', class: 'code' }),
        ...described,
      })
      return html`<div class="field">${label(id, options.label, optional)}${hint}${problem}<input${field}></div>`
    },
    area(name, options) {
      const { id, hint, problem, described } = about(name, options)
      const { value = '', rows = 4, optional = false } = options
      return html`<div class="field">
        ${label(id, options.label, optional)}${hint}${problem}<textarea
          ${attributes({ id, name, rows, required: !optional, ...described })}
        >
${typed(name, value)}</textarea>
      </div>`
    },
    select(name, options) {
      const { id, hint, problem, described } = about(name, options)
      const chosen = typed(name, options.value ?? '')
      const choices = Object.entries(options.options).map(
        ([value, text]) => html`<option ${attributes({ value, selected: value === chosen })}>${text}</option>`,
      )
      return html`<div class="field">
        ${label(id, options.label, false, options.unseen)}${hint}${problem}<select
          ${attributes({ id, name, ...described })}
        >
          ${choices}
        </select>
      </div>`
    },
    radios(name, options) {
      const { id } = about(name, options)
      const chosen = typed(name, options.value ?? '')
      const choices = Object.entries(options.options).map(([value, text], n) => {
        const hint = options.hints?.[value]
        const own = `${id}-${n}`
        return html`<div class="choice">
          <input
            ${attributes({ type: 'radio', id: own, name, value, checked: value === chosen, 'aria-describedby': hint ? `${own}-hint` : null })}
          /><label for="${own}">${text}</label>${hint && html`<p class="hint" id="${own}-hint">${hint}</p>`}
        </div>`
      })
      return group(name, options, choices)
    },
    ticks(name, options) {
      const { id } = about(name, options)
      const choices = Object.entries(options.options).map(([value, text], n) => {
        const own = `${id}-${n}`
        const checked = isTicked(name, value, options.values?.includes(value) ?? false)
        return html`<div class="choice">
          <input ${attributes({ type: 'checkbox', id: own, name, value, checked })} /><label for="${own}"
            >${text}</label
          >
        </div>`
      })
      return group(name, options, choices)
    },
    tick(name, options) {
      const { id, hint, problem, described } = about(name, options)
      const checked = isTicked(name, 'on', options.value ?? false)
      return html`<div class="field choice">
        <input ${attributes({ type: 'checkbox', id, name, value: 'on', checked, ...described })} /><label for="${id}"
          >${options.label}</label
        >${hint}${problem}
      </div>`
    },
    file(name, options) {
      const { id, hint, problem, described } = about(name, options)
      const { accept } = options
      return html`<div class="field">
        ${label(id, options.label)}${hint}${problem}<input
          ${attributes({ id, name, type: 'file', required: true, accept, ...described })}
        />
      </div>`
    },
    hidden: (name, value) => html`<input ${attributes({ type: 'hidden', name, value })} />`,
    submit: (text, { kind = 'primary', name, value, about: target } = {}) =>
      html`<button ${attributes({ type: 'submit', class: kind, name, value })}>
        ${text}${target && html`<span class="unseen"> ${target}</span>`}
      </button>`,
  }
}
