import { argumentValues, type Resource } from 'tasuki/plugin'
import { findVersions, itemKey, listRecent, requireItem, suggestRefs } from '../items/index.ts'

const MIME = 'text/markdown'
const RECENT = 10

/** A note as text. */
export const noteResource: Resource = {
  name: 'note',
  title: 'Note',
  description: 'A note as Markdown, with its title as heading. note is KEY#12, as APP%2312.',
  mimeType: MIME,
  uriTemplate: 'tasuki://note/{note}',
  tools: ['items_get'],
  async read(ctx, uri, { note: ref }) {
    const { type, title, detail } = await requireItem(ctx, ref!, { field: 'note' })
    return type === 'note' ? [{ uri, mimeType: MIME, text: `# ${title}\n\n${detail}` }] : null
  },
  async watch(ctx, addresses) {
    const refs = addresses.map(({ note }) => note!)
    const found = await findVersions(ctx, refs)
    return found.map(item => (item?.type === 'note' ? { keys: [itemKey(item.id)], version: item.updatedAt } : null))
  },
  /** Last changed first. */
  list: ctx => listRecent(ctx, 'note', 'note', { limit: RECENT }),
}

export const noteValues = argumentValues({
  argument: 'note',
  complete: (ctx, value) => suggestRefs(ctx, 'note', value),
})
