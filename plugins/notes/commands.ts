import { defineCommand, ToolError, Type } from 'tasuki/plugin'
import { ownerOption } from '../projects/index.ts'
import { findNote } from './library.repository.ts'
import { ensureFolder, placeNote } from './library.ts'

export const notePlace = defineCommand({
  name: 'note place',
  summary: 'Put a note into a folder of its project, making the folder; without a path, at the root.',
  args: Type.Object({
    ref: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,15}#\\d{1,9}$', description: 'The note, KEY#n.' }),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 400, description: 'Folder names joined by /.' })),
    user: ownerOption,
  }),
  positional: ['ref', 'path'],
  async run(ctx, { ref, path, user }) {
    const owner = await ctx.users.require(user)
    const [key, number] = ref.split('#') as [string, string]
    const note = await findNote(ctx, owner.id, key, Number(number))
    if (!note) throw new ToolError('not_found', `There is no note ${ref} of ${owner.email}.`, { field: 'ref' })
    const project = { ownerId: owner.id, id: note.projectId, key }
    const folderId = path === undefined ? null : await ensureFolder(ctx, project, path)
    await placeNote(ctx, { ownerId: owner.id, id: note.id }, folderId)
    return { text: `${ref} lies ${path === undefined ? 'at the root' : `in ${path}`} now.` }
  },
})
