import { itemChecks, type Draft } from '../items/points.ts'
import { indexText, type TextIndex } from './text/vector.ts'

/** Number of new items from which their texts are indexed while the database inserts the items. */
const AHEAD_MIN = 20

interface Indexed {
  readonly index: TextIndex
  /** Words that a typo may stand for, each with its stem. */
  readonly words: ReadonlyMap<string, string>
}

/** Begun indexes by the values of their items: they are garbage once the transaction is over. */
const begun = new WeakMap<Draft['after'], Promise<Indexed>>()

/** Begins to index the texts of many new items before their rows are sent, since the process only waits meanwhile. Refuses nothing. */
export const indexAhead = itemChecks((_ctx, drafts) => {
  const created = drafts.filter(({ before }) => before === null)
  if (created.length < AHEAD_MIN) return
  let previous: Promise<unknown> = Promise.resolve()
  for (const { after } of created) {
    const indexed = previous.then(() => indexWithWords(after))
    // A write that fails never awaits it.
    previous = indexed.catch(() => undefined)
    begun.set(after, indexed)
  }
})

/**
 * Indexes the texts of an item, or waits for the index that was begun ahead.
 * @param vocabulary collects the words that a typo may stand for, each with its stem
 * @param values of a new item
 */
export async function indexItem(
  { title, detail, values }: { readonly title: string; readonly detail: string; readonly values?: Draft['after'] },
  vocabulary: Map<string, string>,
): Promise<TextIndex> {
  const ahead = values && begun.get(values)
  if (!ahead) return indexText(title, detail, vocabulary)
  const { index, words } = await ahead
  for (const [word, stem] of words) vocabulary.set(word, stem)
  return index
}

async function indexWithWords({ title, detail }: Draft['after']): Promise<Indexed> {
  const words = new Map<string, string>()
  return { index: await indexText(title, detail, words), words }
}
