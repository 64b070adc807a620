import { defineTool, Type } from 'tasuki/plugin'
import { itemRef, writtenOutput } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { assignItem } from '../assign.ts'
import { requireVersion, versionRef } from '../version.ts'

export const versionsAddItem = defineTool({
  name: 'versions_add_item',
  class: 'W',
  title: 'Add item to version',
  summary: 'Plans an item for a version of its project; replaces its former one.',
  rank: 770,
  gates: ['roadmap'],
  input: Type.Object(
    { project_key: projectKey('Project key.'), version: versionRef, item_ref: itemRef() },
    { additionalProperties: false },
  ),
  output: writtenOutput,
  async run(ctx, { project_key, version: ref, item_ref }) {
    const { project, version } = await requireVersion(ctx, project_key, ref)
    return assignItem(ctx, project, item_ref, () => version)
  },
})
