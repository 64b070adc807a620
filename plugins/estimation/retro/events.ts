import type { ReadContext } from 'tasuki/plugin'
import type { SprintClosing } from '../../sprints/index.ts'
import { readChanges, readFormerNames, type SprintEvent } from './event.repository.ts'

/** The changes during a sprint, in order. */
export interface SprintEvents {
  /** Items that entered the sprint after its start, even if they left again. */
  readonly added: readonly SprintEvent[]
  readonly removed: readonly SprintEvent[]
  readonly reopened: readonly SprintEvent[]
  readonly estimated: readonly SprintEvent[]
  readonly postponed: readonly SprintEvent[]
}

/** Reads the history of a closed sprint's items, in two statements. */
export async function readEvents(ctx: ReadContext, closing: SprintClosing): Promise<SprintEvents> {
  const { path, name } = closing.sprint
  // An entry names the sprint as it was called at that time.
  const former = (await readFormerNames(ctx, closing.sprint)).map(old => path.slice(0, -name.length) + old)
  const paths = new Set<unknown>([path, ...former])
  const rows = await readChanges(ctx, closing)
  const inSprint = new Set(closing.items.map(item => item.item_id))
  const moved = rows.filter(event => event.kind === 'item.sprint.changed')
  const entered = moved.filter(event => paths.has(event.to))
  const left = moved.filter(event => paths.has(event.from))
  // An item created in the sprint has no history entry for entering it.
  const [came, went] = [entered, left].map(events => new Set(events.map(event => event.itemId)))
  const created = rows.filter(
    ({ kind, itemId }) => kind === 'item.created' && !came!.has(itemId) && (inSprint.has(itemId) || went!.has(itemId)),
  )
  const ofItems = (kind: string): SprintEvent[] =>
    rows.filter(event => event.kind === kind && inSprint.has(event.itemId))
  return {
    added: [...entered, ...created],
    removed: left,
    reopened: ofItems('item.reopened'),
    estimated: ofItems('item.estimate.changed').filter(event => event.from !== null && event.to !== null),
    postponed: ofItems('item.due_date.changed').filter(
      ({ from, to }) => typeof from === 'string' && typeof to === 'string' && to > from,
    ),
  }
}
