import { defineTool } from 'tasuki/plugin'
import { itemRef, pickNamed, readPlaces, removeItem, writtenOutput } from '../../items/index.ts'
import { projectKey } from '../../projects/index.ts'
import { versions } from '../placement.repository.ts'
import { versionRef } from '../version.ts'

export const versionsRemoveItem = defineTool({
  name: 'versions_remove_item',
  class: 'W',
  title: 'Remove item from version',
  summary: 'Takes an item out of a version.',
  rank: 780,
  gates: ['roadmap'],
  input: { project_key: projectKey('Project key.'), version: versionRef, item_ref: itemRef() },
  output: writtenOutput,
  async run(ctx, { project_key, version: ref, item_ref }) {
    const { project, places } = await readPlaces(ctx, versions, project_key, { write: true })
    const version = pickNamed(versions, places, ref, { projectKey: project.key, field: 'version' })
    return removeItem(ctx, versions, item_ref, { project, place: version })
  },
})
