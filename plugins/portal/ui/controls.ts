import { shownJson, valuesOf, type Fields } from '../fields.ts'
import { attributes, html, Html, type Child } from '../html.ts'
import type { RefusedForm, Visit } from '../visit.ts'
import { partTexts } from './texts.ts'

interface Labelled {
  readonly label: string
  readonly hint?: Child
}
interface InputOptions extends Labelled {
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'time'
  readonly value?: string | number
  readonly optional?: boolean
  /** An autofill token of the HTML standard, for example `current-password`. */
  readonly autocomplete?: string
  readonly min?: number
  readonly max?: number
  /** Id of a datalist with suggestions. */
  readonly list?: string
  readonly readonly?: boolean
  /** For text in no natural language: no autocorrection, no capitalization. */
  readonly code?: boolean
}
interface ChoiceOptions extends Labelled {
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
  /** The hidden field `shown`, for `mergeShown`: the values that the user saw first, also after an error. */
  shown(values: Readonly<Record<string, string>>): Html
  submit(label: string, options?: SubmitOptions<Name>): Html
}
export interface SubmitOptions<Name extends string = string> {
  readonly kind?: 'primary' | 'plain' | 'danger'
  readonly name?: Name
  readonly value?: string
  /** The object of the action, for screen readers, because others see the table row. */
  readonly about?: string
}

interface ControlledForm {
  readonly address: string
  readonly fields: Fields
}

/** Creates the controls of the form at an address. @param refused the entered values and their problems, after an error */
export function createControls(
  visit: Visit,
  { address, fields }: ControlledForm,
  refused: RefusedForm | null,
): Controls<string> {
  const frame = createFrame(visit, { address, fields }, refused)
  const shown: Controls<string>['shown'] = values =>
    partsWithoutLabel.hidden('shown', frame.enteredText('shown', shownJson(values)))
  return { ...textControls(frame), ...choiceControls(frame), ...partsWithoutLabel, shown }
}

type Frame = ReturnType<typeof createFrame>
type FieldOptions = Labelled & Pick<InputOptions, 'optional'> & Pick<ChoiceOptions, 'unseen'>
type Attributes = Parameters<typeof attributes>[0]

/** Creates what all labelled controls share: labels, hints, problems and entered values. */
function createFrame(visit: Visit, { address, fields }: ControlledForm, refused: RefusedForm | null) {
  const { body = null, problems = {} } = refused ?? {}
  const { optional: optionalText } = partTexts(visit.language)
  const describe = (name: string, { label, hint }: Labelled) => {
    refused?.labels.set(name, label)
    const id = fieldId(address, name)
    const problem = problems[name]
    const described = [hint ? `${id}-hint` : null, problem ? `${id}-problem` : null].filter(Boolean).join(' ')
    return {
      id,
      notes: [
        hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null,
        problem === undefined ? null : html`<p class="problem" id="${id}-problem">${nameFields(refused, problem)}</p>`,
      ],
      described: { 'aria-describedby': described || null, 'aria-invalid': problem === undefined ? null : 'true' },
    }
  }
  return {
    describe,
    fieldOf: (name: string) => fields[name],
    enteredText: (name: string, value = ''): string => (body ? (valuesOf(body, name)[0] ?? '') : value),
    isTicked: (name: string, value: string, before: boolean): boolean =>
      body ? valuesOf(body, name).includes(value) : before,
    /** Renders a control under its label. */
    field(name: string, options: FieldOptions, control: (common: Attributes) => Html): Html {
      const { id, notes, described } = describe(name, options)
      return html`<div class="field">
        <label ${attributes({ for: id, class: options.unseen ? 'unseen' : null })}
          >${options.label}${options.optional && html` <span class="optional">(${optionalText})</span>`}</label
        >${notes}${control({ id, name, ...described })}
      </div>`
    },
    /** Renders a group of choices under its label. */
    group(name: string, options: Labelled, choices: (id: string) => Child): Html {
      const { id, notes, described } = describe(name, options)
      return html`<fieldset class="field" id="${id}" tabindex="-1" ${attributes(described)}>
        <legend>${options.label}</legend>
        ${notes}${choices(id)}
      </fieldset>`
    },
  }
}

function textControls({ field, enteredText, fieldOf }: Frame): Pick<Controls<string>, 'input' | 'area' | 'file'> {
  return {
    // No `maxlength`: browsers cut what is pasted without a word. The field refuses a longer text, and keeps it on the page.
    // A password is readable neither while it is typed nor on the page of a refused form.
    input(
      name,
      { type = fieldOf(name)?.secret ? 'password' : 'text', value = '', autocomplete = 'off', code, ...options },
    ) {
      const { optional = false, min, max, list, readonly } = options
      return field(name, options, common => {
        const input = attributes({
          ...common,
          type,
          value: type === 'password' ? null : enteredText(name, String(value)),
          required: !optional,
          autocomplete,
          min,
          max,
          list,
          readonly,
          ...(code && { autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false', class: 'code' }),
        })
        return html`<input${input}>`
      })
    },
    area(name, { value, rows = 4, ...options }) {
      const own = { rows, required: !options.optional }
      // HTML drops the first line break of a text area.
      const text = `\n${enteredText(name, value)}`
      const area = (common: Attributes): Html => html`<textarea ${attributes({ ...common, ...own })}>${text}</textarea>`
      return field(name, options, area)
    },
    file(name, { accept, ...options }) {
      const input = (common: Attributes): Html =>
        html`<input ${attributes({ ...common, type: 'file', required: true, accept })} />`
      return field(name, options, input)
    },
  }
}

type ChoiceControls = Pick<Controls<string>, 'select' | 'radios' | 'ticks' | 'tick'>

function choiceControls({ describe, field, group, enteredText, isTicked }: Frame): ChoiceControls {
  const choice = (input: Attributes & { readonly id: string }, text: string, hint?: string): Html => {
    const hintId = hint ? `${input.id}-hint` : null
    return html`<div class="choice">
      <input ${attributes({ ...input, 'aria-describedby': hintId })} /><label for="${input.id}">${text}</label
      >${hint && html`<p class="hint" id="${hintId}">${hint}</p>`}
    </div>`
  }
  return {
    select(name, options) {
      const chosen = enteredText(name, options.value)
      const choices = Object.entries(options.options).map(
        ([value, text]) => html`<option ${attributes({ value, selected: value === chosen })}>${text}</option>`,
      )
      const select = (common: Attributes): Html =>
        html`<select ${attributes(common)}>
          ${choices}
        </select>`
      return field(name, options, select)
    },
    radios(name, options) {
      const chosen = enteredText(name, options.value)
      return group(name, options, id =>
        Object.entries(options.options).map(([value, text], n) => {
          const checked = value === chosen
          return choice({ type: 'radio', id: `${id}-${n}`, name, value, checked }, text, options.hints?.[value])
        }),
      )
    },
    ticks: (name, options) =>
      group(name, options, id =>
        Object.entries(options.options).map(([value, text], n) => {
          const checked = isTicked(name, value, options.values?.includes(value) ?? false)
          return choice({ type: 'checkbox', id: `${id}-${n}`, name, value, checked }, text)
        }),
      ),
    tick(name, options) {
      const { id, notes, described } = describe(name, options)
      const checked = isTicked(name, 'on', options.value ?? false)
      return html`<div class="field choice">
        <input ${attributes({ id, name, type: 'checkbox', value: 'on', checked, ...described })} /><label for="${id}"
          >${options.label}</label
        >${notes}
      </div>`
    },
  }
}

const partsWithoutLabel: Pick<Controls<string>, 'hidden' | 'submit'> = {
  hidden: (name, value) => html`<input ${attributes({ type: 'hidden', name, value })} />`,
  submit: (text, { kind = 'primary', name, value, about } = {}) =>
    html`<button ${attributes({ type: 'submit', class: kind, name, value })}>
      ${text}${about && html`<span class="unseen"> ${about}</span>`}
    </button>`,
}

/** Renders a problem; parameters of tools in its text get the labels of their fields, of those that are rendered by then. */
export function nameFields(refused: RefusedForm | null, problem: Child): Html {
  const named = html`${problem}`.text.replaceAll(/\b[a-z]+(?:(?:_[a-z]+)+\b|(?= (?:must be|is required)\b))/g, name => {
    const label = refused?.labels.get(name)
    return label === undefined ? name : html`${label}`.text
  })
  return Html.trusted(named)
}

/** A page may have several forms with a field of the same name. */
export function fieldId(address: string, name: string): string {
  return `${address.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')}-${name}`
}
