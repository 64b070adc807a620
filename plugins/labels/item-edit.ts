import { quoteName } from 'tasuki/plugin'
import { itemEdits } from '../items/points.ts'
import { listCell } from '../transfer/points.ts'
import { readKnownLabels } from './item-label.repository.ts'
import { replaceLabels } from './item-labels.ts'
import { firstNames } from './label.repository.ts'

/** Number of labels of the project that the page names. */
const MOST_NAMED = 30

/** The labels of an item, on the page that edits it. */
export const labelsEdit = itemEdits({
  name: 'labels',
  label: { en: 'Labels', ja: 'ラベル' },
  async load(ctx, item) {
    const names = await firstNames(ctx, { ownerId: item.ownerId, id: item.project.id }, MOST_NAMED)
    const known = (marks: '""' | '「」'): string => names.map(name => quoteName(name, undefined, marks)).join(', ')
    const hint = {
      en: `Separated by commas; new ones are defined.${names.length > 0 ? ` The project has: ${known('""')}` : ''}`,
      ja: `カンマで区切ってください。新しい名前は追加されます。${names.length > 0 ? `このプロジェクトのラベル: ${known('「」')}` : ''}`,
    }
    const of = { ownerIds: [item.ownerId], projectIds: [item.project.id], itemIds: [item.id], keys: [] }
    const labels = await readKnownLabels(ctx, of)
    return { value: listCell.write(labels.map(({ name }) => name)), hint }
  },
  prepare: (ctx, drafts, value) => replaceLabels(ctx, drafts, listCell.read(value.replaceAll(/[、，\n]/g, ','))),
})
