import { argumentValues, type ReadContext, type Resource, type ResourceEntry } from 'tasuki/plugin'
import type { ItemType } from './draft.ts'
import { findVersions } from './find.ts'
import { listItems, type ListInput } from './list.ts'
import { readItem } from './read-item.ts'
import { suggestRefs } from './suggest-refs.ts'
import { itemKey } from './write.ts'

const MIME = 'application/json'
/**
 * Maximum length of a body in code points, which keeps a record below the limit of tool results. items_get reads the rest, from
 * `detail_next_offset`.
 */
const MAX_DETAIL = 40_000
const RECENT = 20

/** An item as items_get returns it. */
export const itemResource: Resource = {
  name: 'item',
  title: 'Item',
  description: 'A task, note, event or template as JSON, with its body. item is KEY#12, as APP%2312.',
  mimeType: MIME,
  uriTemplate: 'tasuki://item/{item}',
  tools: ['items_get'],
  async read(ctx, uri, { item: ref }) {
    const item = await readItem(ctx, ref!, 'item', { offset: 0, max: MAX_DETAIL })
    return [{ uri, mimeType: MIME, text: JSON.stringify(item) }]
  },
  async watch(ctx, addresses) {
    const refs = addresses.map(({ item }) => item!)
    const found = await findVersions(ctx, refs)
    return found.map(item => item && { keys: [itemKey(item.id)], version: item.updatedAt })
  },
  /** Open tasks, last changed first. */
  list: ctx => listRecent(ctx, 'item', 'task', { status: 'open', limit: RECENT }),
}

/** Returns the URIs of items as a resource lists them, last changed first. @param scheme first part of the path of the URIs */
export async function listRecent(
  ctx: ReadContext,
  scheme: string,
  type: ItemType,
  filters: Pick<ListInput, 'status' | 'limit'>,
): Promise<ResourceEntry[]> {
  const { items } = await listItems(ctx, type, { sort: 'updated', include_detail: false, ...filters })
  return items.map(({ ref, title }) => ({
    uri: `tasuki://${scheme}/${encodeURIComponent(String(ref))}`,
    name: String(ref),
    title: String(title),
  }))
}

export const itemValues = argumentValues({
  argument: 'item',
  complete: (ctx, value) => suggestRefs(ctx, 'task', value),
})
