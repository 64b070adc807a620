import { choice, defineTool, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { buildTree, library, readLibrary, SORTS } from '../library.ts'

export const libraryTreeGet = defineTool({
  name: 'library_tree_get',
  class: 'R',
  title: 'Get library tree',
  summary: 'Shows the folders of a project with their notes.',
  rank: 730,
  input: {
    project_key: projectKey(),
    sort: Type.Optional(choice(SORTS, { default: 'manual', description: 'updated and created: newest first.' })),
  },
  output: { library, warnings: Type.Optional(Type.Array(Type.String())) },
  async run(ctx, { project_key: key, sort = 'manual' }) {
    const { folders, notes, total } = await readLibrary(ctx, key)
    const tree = { ...buildTree(folders, notes, sort), total_notes: total }
    if (notes.length === total) return { library: tree }
    return {
      library: tree,
      warnings: [`Only the ${notes.length} notes changed last are shown; notes_list pages through all ${total}.`],
    }
  },
})
