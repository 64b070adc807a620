import { callTool, nameKey, quoteName, type ReadContext } from 'tasuki/plugin'
import { itemsPatch, requireItem, type ItemRow } from '../items/index.ts'
import { itemEdits } from '../items/points.ts'
import { listCell } from '../transfer/points.ts'
import { readKnownLabels } from './item-label.repository.ts'
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
    return { value: listCell.write(await namesOf(ctx, item)), hint }
  },
  async write(ctx, ref, value) {
    const before = await namesOf(ctx, await requireItem(ctx, ref))
    const after = listCell.read(value.replaceAll(/[、，\n]/g, ','))
    const missing = (names: readonly string[], others: readonly string[]) =>
      names.filter(name => !others.some(other => nameKey(other) === nameKey(name)))
    // With signs, because a name may itself begin with one.
    const labels = [
      ...missing(after, before).map(name => `+${name}`),
      ...missing(before, after).map(name => `-${name}`),
    ]
    // `labels` is a parameter that this plugin contributes, which the type of the tool does not have.
    const change = { item_ref: ref, labels }
    return labels.length > 0 ? callTool(itemsPatch, ctx, change) : {}
  },
})

async function namesOf(ctx: ReadContext, { ownerId, id, project }: ItemRow): Promise<readonly string[]> {
  const of = { ownerIds: [ownerId], projectIds: [project.id], itemIds: [id], keys: [] }
  return (await readKnownLabels(ctx, of)).map(({ name }) => name)
}
