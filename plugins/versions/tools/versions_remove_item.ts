import { defineTool, ToolError } from 'tasuki/plugin'
import { assignItem, itemRef, pickNamed, readPlaces, writtenOutput } from '../../items/index.ts'
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
    return assignItem(ctx, versions, item_ref, {
      project,
      field: 'version',
      choose(before) {
        if (!before || before.id === version.id) return null
        throw new ToolError('invalid_argument', `${item_ref} is in version ${before.name}, not in ${version.name}.`, {
          field: 'version',
          allowed: [before.name],
        })
      },
    })
  },
})
