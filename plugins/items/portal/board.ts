import { callTool } from 'tasuki/plugin'
import {
  addressOf,
  addressWith,
  defineForm,
  defineProjectPage,
  defineTexts,
  fields,
  html,
  itemLink,
  queryForm,
  queryProblem,
  refIn,
} from '../../portal/index.ts'
import type { Html, ItemFields, UserVisit } from '../../portal/index.ts'
import { stateName, workflowStatesList, type WorkflowStateRow } from '../../workflows/index.ts'
import { listItems } from '../list.ts'
import { overdueCheck } from '../query/clock.ts'
import { moveShownItem, stateFields } from './move-state.ts'
import { dueText, itemTexts, stateRefusals } from './texts.ts'
import { noticeWith } from './warnings.ts'

const texts = defineTexts(
  {
    title: 'Board',
    filterHint: 'For example: label:bug is:overdue',
    apply: 'Apply',
    clear: 'Clear',
    moveTo: 'Move to',
    moved: (ref: string) => `${ref} moved.`,
    empty: 'No tasks.',
    first: (shown: number) => `The first ${shown}. Use a filter to see others.`,
    recent: (shown: number) => `The ${shown} most recently updated.`,
    due: (date: string) => `due ${date}`,
  },
  {
    ja: {
      title: 'ボード',
      filterHint: '例: label:bug is:overdue',
      apply: '適用',
      clear: 'クリア',
      moveTo: '移動先',
      moved: ref => `${ref} を移動しました。`,
      empty: 'ありません。',
      first: shown => `最初の${shown}件です。ほかは絞り込みで表示できます。`,
      recent: shown => `最近更新された${shown}件です。`,
      due: date => `期限 ${date}`,
    },
  },
)

const PATH = '/projects/:key/board'
/** Maximum number of tasks in an open state, by priority. */
const MAX_OPEN = 100
/** Maximum number of tasks in a closed state, latest first. */
const MAX_CLOSED = 30

const moveForm = defineForm({
  path: `${PATH}/:number`,
  fields: { ...stateFields, q: fields.text({ max: 2000, optional: true }) },
  refusals: stateRefusals,
  async run(visit, { q, ...input }) {
    const ref = refIn(visit.params)
    const result = await visit.write(ctx => moveShownItem(ctx, visit, ref, input))
    const to = addressOf(`${addressWith(PATH, { q })}#card-:number`, visit.params)
    return { to, notice: noticeWith(visit, texts(visit.language).moved(ref), result) }
  },
})

/** A state with its tasks. */
interface Column {
  readonly state: WorkflowStateRow
  readonly cards: readonly Card[]
  /** Number of its tasks, of which `cards` are the first. */
  readonly total: number
}

interface Card extends Pick<ItemFields, 'ref' | 'title' | 'status' | 'priority' | 'due_date' | 'due_time' | 'labels'> {
  readonly overdue: boolean
  readonly estimate?: string | null
}

/** The tasks of a project by state. */
export const boardPage = defineProjectPage({
  path: PATH,
  name: language => texts(language).title,
  menu: { place: 'project', rank: 10 },
  wide: true,
  forms: [moveForm],
  async load(ctx, { project }, visit) {
    const project_key = visit.params['key']!
    const { states } = await callTool(workflowStatesList, ctx, { project_key })
    const q = visit.query['q']?.trim() ?? ''
    const shape = { project_key, include_detail: false, include_total: true, ...(q !== '' && { q }) }
    const isOverdue = overdueCheck(ctx, project.ownerId)
    const columns: Column[] = []
    try {
      // Each state by itself: with one limit for all, a long backlog would leave no room for tasks in progress.
      for (const state of states) {
        const closed = state.system_status === 'closed'
        const page = { sort: closed ? 'updated' : 'priority', limit: closed ? MAX_CLOSED : MAX_OPEN } as const
        const { items, total } = await listItems(ctx, 'task', { ...shape, ...page }, { stateId: state.id })
        const cards = items.map(task => ({ ...task, overdue: isOverdue(task) }) as unknown as Card)
        columns.push({ state, cards, total: total! })
      }
      return { columns, q, problem: null }
    } catch (error) {
      const empty = states.map(state => ({ state, cards: [], total: 0 }))
      return { columns: empty, q, problem: queryProblem(visit.language, error) }
    }
  },
  title: ({ language }, { project }) => `${texts(language).title} – ${project.name}`,
  view(visit, { project, role, columns, q, problem }) {
    const t = texts(visit.language)
    const states = columns.map(({ state }) => state)
    return html`<h1>
        ${project.name}${project.archived && html` <span class="tag">${itemTexts(visit.language).archived}</span>`}
      </h1>
      ${queryForm(addressOf(PATH, visit.params), { q, problem, label: t.filter, hint: t.filterHint, submit: t.apply, clear: t.clear })}
      <div class="board" role="region" aria-label="${t.title}" tabindex="0">
        ${columns.map(
          ({ state, cards, total }) =>
            html`<section aria-labelledby="state-${state.id}">
              <h2 id="state-${state.id}">
                <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
                  <circle cx="5" cy="5" r="5" fill="${state.color_hex ?? '#888888'}" /></svg
                >${stateName(visit.language, state.name)} <span class="quiet">${total}</span>
              </h2>
              ${total > cards.length && html`<p class="quiet">${state.system_status === 'closed' ? t.recent(cards.length) : t.first(cards.length)}</p>`}
              ${
                total === 0
                  ? html`<p class="quiet">${t.empty}</p>`
                  : html`<ul>
                      ${cards.map(card => cardView(visit, card, role === 'viewer' || project.archived ? null : { states, q }))}
                    </ul>`
              }
            </section>`,
        )}
      </div>`
  },
})

/** @param moving null = read-only view */
function cardView(
  visit: UserVisit,
  card: Card,
  moving: { readonly states: readonly WorkflowStateRow[]; readonly q: string } | null,
): Html {
  const t = texts(visit.language)
  const names = itemTexts(visit.language)
  const { ref, priority, due_date: due, overdue, labels = [], estimate } = card
  const state = moving?.states.find(({ name }) => name === card.status)?.id ?? ''
  return html`<li class="card" id="card-${ref.split('#')[1]}">
    <p>${itemLink(visit, card)}</p>
    <p class="quiet">
      <code>${ref}</code>
      ${priority !== undefined && priority !== 'normal' && html`<span class="tag ${priority === 'urgent' ? 'bad' : ''}">${names.priorities[priority]}</span>`}
      ${due !== undefined && html`<span class="unbroken">${t.due(dueText(visit, card))}</span>`}
      ${overdue && html`<span class="tag bad">${names.overdue}</span>`}
      ${typeof estimate === 'string' && html`<span class="tag">${estimate}</span>`}
      ${labels.map(label => html`<span class="tag">${label}</span> `)}
    </p>
    ${
      moving &&
      moveForm.view(
        visit,
        form =>
          html`${form.hidden('q', moving.q)} ${form.shown({ status_definition_id: state })}
          ${form.select('status_definition_id', {
            label: `${t.moveTo}: ${ref}`,
            unseen: true,
            value: state,
            options: Object.fromEntries(moving.states.map(({ id, name }) => [id, stateName(visit.language, name)])),
          })}
          ${form.submit(t.move, { kind: 'plain', about: ref })}`,
        { params: { number: ref.split('#')[1]! }, inline: true },
      )
    }
  </li>`
}
