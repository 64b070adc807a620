import { clip, nameKey } from 'tasuki/plugin'
import { attributes, formatDayIn, html, table, tableOr, type Html, type UserVisit } from '../../portal/index.ts'
import { stateName } from '../../workflows/index.ts'
import type { Content } from '../content.ts'
import { inZone } from '../import-parts.ts'
import type { ImportedItem, ImportProblem } from '../points.ts'
import { PROBLEMS } from '../parse-file.ts'
import type { UploadRow } from '../upload.repository.ts'
import { optionsForm, pairOf } from './import-forms.ts'
import { fieldName, formatName, importTexts as texts } from './import-texts.ts'
import type { Plan } from './plan-upload.ts'
import { translateRemark } from './remark-texts.ts'

/** A file with the plan of its import. */
export interface Draft extends Plan {
  readonly content: Content
}

/** Maximum number of states and of items in the lists. */
const [STATES, FIRST_ITEMS] = [50, 5]
const quietText = (text: string): Html => html`<span class="quiet">${text}</span>`

/** Shows the field of each column, or for a file without columns the ignored fields. */
export function columnsView({ language }: UserVisit, { content: { columns, ignored } }: Draft): Html | false {
  const t = texts(language)
  const leftOut = ignored.map(field => fieldName(language, field)).join(', ')
  if (!columns)
    return (
      leftOut !== '' &&
      html`<h2>${t.mapping}</h2>
        <p>${t.alsoLeftOut}: ${leftOut}</p>`
    )
  return html`<h2>${t.mapping}</h2>
    <p>${t.mappingLead}</p>
    ${table(t.mapping, columns, [
      { title: t.column, cell: ({ head }) => head || '–' },
      { title: t.becomes, cell: ({ field }) => (field === null ? quietText(t.leftOut) : fieldName(language, field)) },
    ])}`
}

/** Shows the first items as they are read, so that a wrong column is noticed before the import. */
export function itemsView(visit: UserVisit, { content: { items }, plan: { zone } }: Draft): Html {
  const { language } = visit
  const t = texts(language)
  const dueOf = (item: ImportedItem): string => {
    const { dueDate = '', dueTime } = inZone(item, zone)
    return [formatDayIn(visit, dueDate), dueTime].filter(Boolean).join(' ')
  }
  return html`<h2>${t.firstItems}</h2>
    ${table(t.firstItems, items.slice(0, FIRST_ITEMS), [
      { title: fieldName(language, 'title'), cell: ({ title }) => clip(title.trim(), 200) || '–' },
      { title: fieldName(language, 'status'), cell: ({ status }) => status },
      { title: fieldName(language, 'dueDate'), cell: dueOf },
      { title: fieldName(language, 'labels'), cell: ({ parts }) => parts.labels?.join(', ') },
    ])}`
}

/** Shows the states of the file with those of the project. */
export function statesView({ language }: UserVisit, { plan: { states } }: Draft): Html | null {
  const t = texts(language)
  if (states.length === 0) return null
  return html`<h2>${t.statesTitle}</h2>
    <p>${t.statesLead}</p>
    ${table(t.statesTitle, states.slice(0, STATES), [
      { title: t.stateOfFile, cell: ({ name }) => name },
      { title: t.items, cell: ({ items }) => items },
      { title: t.stateHere, cell: ({ state }) => (state === null ? quietText(t.noState) : stateName(language, state)) },
    ])}`
}

/** Shows labels, comments, parents and other parts. */
export function partsView({ language }: UserVisit, { plan: { parts } }: Draft): Html | null {
  const t = texts(language)
  if (parts.length === 0) return null
  return html`<h2>${t.partsTitle}</h2>
    ${table(t.partsTitle, parts, [
      { title: t.part, cell: ({ name }) => fieldName(language, name) },
      { title: t.items, cell: ({ items }) => items },
    ])}`
}

/** Shows the values that are not imported, or not unchanged. */
export function remarksView({ language }: UserVisit, problems: readonly ImportProblem[], more = 0): Html {
  const t = texts(language)
  const unseen = more + Math.max(problems.length - PROBLEMS, 0)
  return html`${tableOr(t.noRemarks, t.remarks, problems.slice(0, PROBLEMS), [
    { title: t.line, cell: ({ line }) => line },
    { title: t.field, cell: ({ field }) => fieldName(language, field) || '–' },
    {
      title: t.problem,
      cell: ({ problem }) => translateRemark(language, problem) ?? html`<span lang="en">${problem}</span>`,
    },
  ])}
  ${unseen > 0 && html`<p class="quiet">${t.moreRemarks(unseen)}</p>`}`
}

/** Renders the form that changes how the file is read. @param draft null = the file cannot be read */
export function optionsView(
  visit: UserVisit,
  upload: UploadRow,
  formats: readonly { readonly name: string; readonly fields: readonly string[] }[],
  draft: Draft | null,
): Html {
  const { language } = visit
  const t = texts(language)
  const heads = draft?.content.columns?.map(({ head }) => head).filter(head => head !== '') ?? []
  const fields = heads.length === 0 ? [] : (formats.find(({ name }) => name === upload.format)?.fields ?? [])
  const columns = fields.map(field => {
    const chosen = Object.hasOwn(upload.columns, field) ? nameKey(upload.columns[field]!) : null
    const options = heads.map(head => ({ value: pairOf(field, head), text: head, selected: nameKey(head) === chosen }))
    return pairSelect('columns', t.columnFor(fieldName(language, field)), t.asFound, options)
  })
  const states = (draft?.plan.states ?? []).slice(0, STATES).map(({ name }) => {
    const chosen = Object.hasOwn(upload.states, name) ? upload.states[name] : null
    const options = draft!.plan.allStates.map(state => ({
      value: pairOf(name, state),
      text: stateName(language, state),
      selected: state === chosen,
    }))
    return pairSelect('states', t.stateFor(name), t.asFound, options)
  })
  return html`<details ${attributes({ open: draft === null || visit.refused !== null })}>
    <summary>${t.change}</summary>
    <div>
      ${optionsForm.view(
        visit,
        form =>
          html`${form.select('format', {
              label: t.format,
              value: upload.format,
              options: Object.fromEntries(formats.map(({ name }) => [name, formatName(name)])),
            })}
            <div class="columns">${columns}</div>
            <div class="columns">${states}</div>`,
        { params: { id: upload.id }, submit: t.save },
      )}
    </div>
  </details>`
}

/** Renders one of several selects with the same name. @param unmapped text of the first option, which chooses nothing */
function pairSelect(
  name: 'columns' | 'states',
  label: string,
  unmapped: string,
  options: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[],
): Html {
  const choices = options.map(
    ({ value, text, selected }) => html`<option ${attributes({ value, selected })}>${text}</option>`,
  )
  return html`<div class="field">
    <label
      >${label}<select ${attributes({ name })}>
        <option value="">${unmapped}</option>
        ${choices}
      </select></label
    >
  </div>`
}
