import { defineTool, widen } from 'tasuki/plugin'
import { answerOf, bulkInput, bulkOutput, bulkTargets, draftsOf, effectOf, type BulkInput } from '../bulk.ts'
import { contributedParams } from '../points.ts'
import { requireChange } from '../refusals.ts'
import { stateMisnomers } from '../write-params.ts'
import { prepareItems, writeItems } from '../write.ts'

export const itemsBulkPatch = defineTool({
  name: 'items_bulk_patch',
  class: 'WD',
  title: 'Change many items',
  summary:
    'Applies the same changes to 2-25 items; one that cannot be changed is reported. Look first with items_bulk_patch_preview.',
  rank: 100,
  input: all => widen(bulkInput, contributedParams(all, 'items_bulk_patch')),
  misnomers: stateMisnomers('status_definition_id sets the state; it takes a name, too.'),
  output: bulkOutput,
  async confirm(ctx, input) {
    requireChange(input, 'item_refs')
    const targets = await bulkTargets(ctx, input as BulkInput, { lock: false })
    await prepareItems(ctx, draftsOf(targets), { tool: 'items_bulk_patch', input })
    return effectOf(targets) ?? answerOf(targets, input as BulkInput)
  },
  async run(ctx, input) {
    requireChange(input, 'item_refs')
    const targets = await bulkTargets(ctx, input, { lock: true })
    await writeItems(ctx, draftsOf(targets), { tool: 'items_bulk_patch', input, bulk: true })
    return answerOf(targets, input)
  },
})
