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
    more: (shown: number) => `Showing the first ${shown} open tasks. Use a filter to see others.`,
    recent: (shown: number) => `Showing the ${shown} most recently updated closed tasks.`,
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
      more: shown => `未完了のタスクのうち最初の${shown}件を表示しています。ほかは絞り込みで表示できます。`,
      recent: shown => `完了したタスクは最近更新された${shown}件を表示しています。`,
      due: date => `期限 ${date}`,
    },
  },
)

const PATH = '/projects/:key/board'
/** Maximum number of open tasks on a board. */
const MAX_OPEN = 300
/** Maximum number of closed tasks on a board, latest first. */
const MAX_CLOSED = 30

const moveForm = defineForm({
  path: `${PATH}/:number`,
  fields: { ...stateFields, q: fields.text({ max: 2000, optional: true }) },
  refusals: stateRefusals,
  async run(visit, { q, ...input }) {
    const ref = refIn(visit.params)
    const result = await visit.write(ctx => moveShownItem(ctx, visit, ref, input))
    const to = addressOf(`${addressWith(PATH, { q })}#card-:number`, visit.params)
    return { to, notice: noticeWith(visit.language, texts(visit.language).moved(ref), result) }
  },
})

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
    const shape = { project_key, include_detail: false, ...(q !== '' && { q }) }
    const board = { states, q }
    const isOverdue = overdueCheck(ctx, project.ownerId)
    try {
      const open = await listItems(ctx, 'task', { ...shape, status: 'open', sort: 'priority', limit: MAX_OPEN })
      const closed = await listItems(ctx, 'task', { ...shape, status: 'closed', sort: 'updated', limit: MAX_CLOSED })
      return {
        ...board,
        problem: null,
        cards: [...open.items, ...closed.items].map(task => ({ ...task, overdue: isOverdue(task) }) as unknown as Card),
        more: { open: open.has_more, closed: closed.has_more },
      }
    } catch (error) {
      const problem = queryProblem(visit.language, error)
      return { ...board, problem, cards: [], more: { open: false, closed: false } }
    }
  },
  title: ({ language }, { project }) => `${texts(language).title} – ${project.name}`,
  view(visit, { project, role, states, q, problem, cards, more }) {
    const t = texts(visit.language)
    return html`<h1>
        ${project.name}${project.archived && html` <span class="tag">${itemTexts(visit.language).archived}</span>`}
      </h1>
      ${queryForm(addressOf(PATH, visit.params), { q, problem, label: t.filter, hint: t.filterHint, submit: t.apply, clear: t.clear })}
      ${more.open && html`<p class="quiet">${t.more(MAX_OPEN)}</p>`}
      ${more.closed && html`<p class="quiet">${t.recent(MAX_CLOSED)}</p>`}
      <div class="board" role="region" aria-label="${t.title}" tabindex="0">
        ${states.map(state => {
          const own = cards.filter(card => card.status === state.name)
          return html`<section aria-labelledby="state-${state.id}">
            <h2 id="state-${state.id}">
              <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
                <circle cx="5" cy="5" r="5" fill="${state.color_hex ?? '#888888'}" /></svg
              >${stateName(visit.language, state.name)} <span class="quiet">${own.length}</span>
            </h2>
            ${
              own.length === 0
                ? html`<p class="quiet">${t.empty}</p>`
                : html`<ul>
                    ${own.map(card => cardView(visit, card, role === 'viewer' || project.archived ? null : { states, q }))}
                  </ul>`
            }
          </section>`
        })}
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
