import { itemChecks, upcomingTexts, type ItemTexts } from '../items/points.ts'
import { indexText, type TextIndex } from './text/vector.ts'

/** Number of new items from which their texts are indexed while the database inserts the items. */
const AHEAD_MIN = 20
/** Maximum number of characters whose indexes wait for their items. */
const AHEAD_MOST = 32_000_000
/** Milliseconds after which waiting indexes are dropped: a failed write never asks for them. */
const KEEP_MS = 60_000

/** Indexes by their texts; the earliest begun first. */
const begun = new Map<string, Promise<TextIndex>>()
let characters = 0
/** End of the last index: texts are indexed one after the other, in the order in which they are needed. */
let previous: Promise<unknown> = Promise.resolve()
let dropped: NodeJS.Timeout | undefined

/** Begins to index the texts of many new items before their rows are sent, since the process only waits meanwhile. Refuses nothing. */
export const indexAhead = itemChecks((_ctx, drafts) => {
  const created = drafts.flatMap(({ before, after }) => (before === null ? [after] : []))
  if (created.length >= AHEAD_MIN) beginIndexing(created)
})

/** Begins to index the next texts of an import while the database writes the current ones. */
export const indexUpcoming = upcomingTexts((_ctx, texts) => beginIndexing(texts))

function beginIndexing(texts: readonly ItemTexts[]): void {
  for (const text of texts) {
    const key = keyOf(text)
    if (begun.has(key)) continue
    if (characters + key.length > AHEAD_MOST) break
    characters += key.length
    const indexed = previous.then(() => indexText(text.title, text.detail))
    // A write that fails never awaits it.
    previous = indexed.catch(() => undefined)
    begun.set(key, indexed)
  }
  clearTimeout(dropped)
  dropped = setTimeout(dropAll, KEEP_MS).unref()
}

/** Indexes the texts of an item, or waits for the index that was begun ahead. */
export function indexItem(text: ItemTexts): Promise<TextIndex> {
  const key = begun.size === 0 ? '' : keyOf(text)
  const ahead = begun.get(key)
  if (begun.delete(key)) characters -= key.length
  return ahead ?? indexText(text.title, text.detail)
}

const keyOf = ({ title, detail }: ItemTexts): string => `${title}\n${detail}`

function dropAll(): void {
  begun.clear()
  characters = 0
}
