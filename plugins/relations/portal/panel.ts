import { defineTexts, defineWords, html, itemLink, itemPanels, table } from '../../portal/index.ts'
import type { RelationRow, RelationType } from '../relation.ts'

const texts = defineTexts({ relations: 'Relations' }, { ja: { relations: '関連' } })

const typeWord = defineWords({
  parent: { en: 'Parent', ja: '親' },
  child: { en: 'Sub-task', ja: 'サブタスク' },
  reference: { en: 'Related', ja: '関連' },
  duplicate: { en: 'Duplicate', ja: '重複' },
  generated_from: { en: 'Generated from', ja: '生成元' },
  enriches: { en: 'Enriched by', ja: '補足先' },
  previous_instance: { en: 'Previous occurrence', ja: '前回' },
})

/** The name of a type from the other end. */
const OPPOSITE: Partial<Record<string, RelationType>> = { parent: 'child', child: 'parent' }

export const relationsPanel = itemPanels<readonly RelationRow[]>({
  rank: 20,
  load: (_ctx, { sections }) => (sections['relations'] ?? []) as readonly RelationRow[],
  view(visit, { fields }, relations) {
    if (relations.length === 0) return null
    const t = texts(visit.language)
    const rows = relations.map(row =>
      row.source_ref === fields.ref
        ? { type: row.relation_type, ref: row.target_ref, title: row.target_title }
        : { type: OPPOSITE[row.relation_type] ?? row.relation_type, ref: row.source_ref, title: row.source_title },
    )
    return html`<h2>${t.relations}</h2>
      ${table(t.relations, rows, [
        {
          title: t.relations,
          cell: item => html`${itemLink(visit, item)} <code>${item.ref}</code>`,
        },
        { title: t.kind, cell: ({ type }) => typeWord(visit.language, type) ?? type },
      ])}`
  },
})
