import { nameKey } from 'tasuki/plugin'
import type { ItemWorkflow } from '../items/index.ts'
import { findCounterpart, resolveState, type StateMeaning } from '../workflows/index.ts'
import type { ImportedItem } from './points.ts'

export type WorkflowState = ItemWorkflow['states'][number]

type Meaning = Omit<StateMeaning, 'name'>
const open = (category: string): Meaning => ({ system_status: 'open', category, status_attribute: 'pending' })
const closed = (attribute: string): Meaning => ({
  system_status: 'closed',
  category: 'done',
  status_attribute: attribute,
})

/** The meaning of state names in other programs. */
const MEANINGS: readonly (readonly [Meaning, RegExp])[] = [
  [closed('duplicate'), /duplicate|重複/],
  [closed('wontfix'), /cancel|won'?t|wont|rejected|declined|abandon|invalid|not planned|対応しない|却下|中止/],
  [closed('done'), /\bdone\b|closed|resolved|complete|finished|shipped|released|完了|終了|済/],
  [open('review'), /review|\bqa\b|test|verif|レビュー|確認/],
  [open('in_progress'), /progress|doing|started|active|wip|develop|working|進行|作業|対応中/],
  [open('todo'), /open|to ?do|backlog|new|triage|unstarted|inbox|later|next|未着手|未対応/],
]

/** Finds the workflow state for an item, and whether its name or meaning is known. */
export function stateFor(
  { status = '', closed: isClosed }: Pick<ImportedItem, 'status' | 'closed'>,
  states: readonly WorkflowState[],
  chosen: ReadonlyMap<string, string>,
): { readonly state: WorkflowState | null; readonly known: boolean } {
  const name = nameKey(status)
  const wanted = resolveState(states, chosen.get(name) ?? status)
  if (wanted) return { state: wanted, known: true }
  const meaning = MEANINGS.find(([, pattern]) => pattern.test(name.replace('unstarted', 'to do')))?.[0]
  const fallback = isClosed ? closed('done') : open('todo')
  const fits = meaning !== undefined && (isClosed === undefined || (meaning.system_status === 'closed') === isClosed)
  return {
    state: findCounterpart({ name: status, ...(fits ? meaning : fallback) }, states),
    known: fits || (status === '' && isClosed !== undefined),
  }
}
