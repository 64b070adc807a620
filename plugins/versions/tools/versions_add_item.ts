import { defineTool } from 'tasuki/plugin'
import { assignItem, itemRef, pickNamed, readPlaces, writtenOutput } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { versions } from '../placement.repository.ts'
import { versionRef } from '../version.ts'

export const versionsAddItem = defineTool({
  name: 'versions_add_item',
  class: 'W',
  title: 'Add item to version',
  summary: 'Plans an item for a version of its project; replaces its former one.',
  rank: 770,
  gates: ['roadmap'],
  input: { project_key: projectKey('Project key.'), version: versionRef, item_ref: itemRef() },
  output: writtenOutput,
  async run(ctx, { project_key, version: ref, item_ref }) {
    const { project, places } = await readPlaces(ctx, versions, project_key, { write: true })
    const version = pickNamed(versions, places, ref, { projectKey: project.key, field: 'version' })
    return assignItem(ctx, versions, item_ref, { project, field: 'version', choose: () => version })
  },
})
