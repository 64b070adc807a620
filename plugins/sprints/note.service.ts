import type { OwnedKey, ReadContext, WriteContext } from 'tasuki/plugin'
import { recordSettingChange } from '../projects/index.ts'
import { fillSlots, type Notes, type Slot } from './note.ts'
import { deleteNote, readNoteRows, upsertNote } from './note.repository.ts'
import type { SprintRow } from './sprint.ts'

/** Reads the notes of a known sprint. */
export async function readNotes(ctx: ReadContext, sprint: OwnedKey): Promise<Notes> {
  return fillSlots(await readNoteRows(ctx, sprint))
}

/** Replaces a note or clears its slot. */
export async function writeNote(
  ctx: WriteContext,
  sprint: Pick<SprintRow, 'ownerId' | 'id' | 'projectId' | 'path'>,
  slot: Slot,
  body: string,
): Promise<void> {
  const { ownerId, id, projectId, path } = sprint
  const project = { ownerId, id: projectId }
  await recordSettingChange(ctx, project, {
    kind: 'sprint.note.changed',
    of: { id, name: path },
    after: { slot, body },
  })
  if (body === '') await deleteNote(ctx, sprint, slot)
  else await upsertNote(ctx, sprint, slot, body)
}
