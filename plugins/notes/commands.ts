import { defineCommand, sql, ToolError, Type } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { ensureFolder, placeNote } from './library.ts'

export const notePlace = defineCommand({
  name: 'note place',
  summary: 'Put a note into a folder of its project, making the folder; without a path, at the root.',
  args: Type.Object({
    ref: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,15}#\\d{1,9}$', description: 'The note, KEY#n.' }),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 400, description: 'Folder names joined by /.' })),
    user: Type.Optional(
      Type.String({ description: 'E-mail address of the owner; may be left out while there is one user.' }),
    ),
  }),
  positional: ['ref', 'path'],
  async run(ctx, { ref, path, user }) {
    const owner = await ctx.users.require(user)
    const [key, number] = ref.split('#')
    const { rows } = await sql<{ id: string; project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'> }>`
      select i.id, json_build_object('ownerId', p.owner_id, 'id', p.id, 'key', p.key) as project from items.items i
      join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where i.owner_id = ${owner.id} and i.number = ${Number(number)} and p.key = ${key} and i.type = 'note'
    `.execute(ctx.db)
    const [note] = rows
    if (!note) throw new ToolError('not_found', `There is no note ${ref} of ${owner.email}.`, { field: 'ref' })
    await placeNote(
      ctx,
      { ownerId: owner.id, id: note.id },
      path === undefined ? null : await ensureFolder(ctx, note.project, path),
    )
    return { text: `${ref} lies ${path === undefined ? 'at the root' : `in ${path}`} now.` }
  },
})
