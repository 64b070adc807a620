import { defineCommand, ToolError, Type } from 'tasuki/plugin'
import { ownerOption } from '../projects/index.ts'
import { requireItemOf } from '../items/index.ts'
import { ensureFolder } from './library.ts'
import { placeNotes } from './library.repository.ts'

export const notePlace = defineCommand({
  name: 'note place',
  summary: 'Put a note into a folder of its project, making the folder; without a path, at the root.',
  args: Type.Object({
    ref: Type.String({ minLength: 1, maxLength: 300, description: 'The note, KEY#n.' }),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 400, description: 'Folder names joined by /.' })),
    user: ownerOption,
  }),
  positional: ['ref', 'path'],
  async run(ctx, { ref, path, user }) {
    const owner = await ctx.users.require(user)
    const note = await requireItemOf(ctx, owner, ref, { field: 'ref', lock: true })
    if (note.type !== 'note')
      throw new ToolError('invalid_argument', `${ref} is not a note.`, {
        field: 'ref',
        hint: 'Give the KEY#n of a note.',
      })
    const folderId = path === undefined ? null : await ensureFolder(ctx, note.project, path)
    await placeNotes(ctx, [{ ownerId: note.ownerId, itemId: note.id, folderId }])
    return { text: `${ref} lies ${path === undefined ? 'at the root' : `in ${path}`} now.` }
  },
})
