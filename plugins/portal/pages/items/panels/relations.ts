import type { RelationRow, RelationType } from '../../../../relations/index.ts'
import { html } from '../../../html.ts'
import { itemPanels } from '../../../points.ts'
import { table } from '../../../ui/parts.ts'
import { itemAddress } from '../../../ui/item-address.ts'
import { itemTexts } from '../texts.ts'

/** What a type is called from the other end. */
const OPPOSITE: Partial<Record<string, RelationType>> = { parent: 'child', child: 'parent' }

export const relationsPanel = itemPanels<readonly RelationRow[]>({
  rank: 20,
  load: (_ctx, { sections }) => (sections['relations'] ?? []) as readonly RelationRow[],
  view(visit, { fields }, relations) {
    if (relations.length === 0) return null
    const t = itemTexts(visit.language)
    const names: Readonly<Record<string, string>> = t.relationTypes
    const rows = relations.map(row =>
      row.source_ref === fields.ref
        ? { type: row.relation_type, ref: row.target_ref, title: row.target_title }
        : { type: OPPOSITE[row.relation_type] ?? row.relation_type, ref: row.source_ref, title: row.source_title },
    )
    return html`<h2>${t.relations}</h2>
      ${table(t.relations, rows, [
        {
          title: t.relations,
          cell: ({ ref, title }) =>
            html`<a href="${itemAddress(visit.params['key']!, ref)}">${title}</a> <code>${ref}</code>`,
        },
        { title: t.kind, cell: ({ type }) => names[type] ?? type },
      ])}`
  },
})
