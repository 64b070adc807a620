import { choice, defineTool, guarded, nullable, quoteName, requireUnchanged, ToolError, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { SLOTS } from '../note.ts'
import { readNotes, writeNote } from '../note.service.ts'
import { pickSprintToWrite } from '../sprint.repository.ts'
import { sprintRef } from '../sprint.ts'

export const sprintsNoteSet = defineTool({
  name: 'sprints_note_set',
  class: 'W',
  title: 'Set sprint note',
  summary: 'Replaces a note slot of a sprint, closed ones too.',
  rank: 590,
  gates: ['sprints'],
  input: {
    project_key: projectKey('Project key.'),
    sprint: sprintRef(),
    slot: choice(SLOTS, { description: 'Slot.' }),
    body: guarded(Type.String({ description: 'Markdown; empty deletes.' }), { maxLength: 100_000 }),
  },
  output: {
    sprint: Type.Object({ id: Type.String(), path: Type.String() }),
    slot: Type.String(),
    note: nullable(Type.Object({ body: Type.String(), updated_at: Type.String() })),
    changed: Type.Array(Type.String()),
  },
  async run(ctx, { project_key, sprint: text, slot, body }) {
    const { sprint } = await pickSprintToWrite(ctx, project_key, text)
    const { id, path } = sprint
    const before = (await readNotes(ctx, sprint))[slot]
    const named = `The note ${slot} of ${quoteName(path)}`
    if (before) requireUnchanged(ctx, named, { ...before })
    else if (ctx.call.ifUpdatedAt !== null && body !== '')
      throw new ToolError('stale_write', `${named} was deleted after the version that you read.`, {
        field: '_meta.ifUpdatedAt',
        hint: 'Send it without _meta.ifUpdatedAt to write a new note.',
        details: { current: null },
      })
    if ((before?.body ?? '') === body) return { sprint: { id, path }, slot, note: before, changed: [] }
    await writeNote(ctx, sprint, slot, body)
    const note = body === '' ? null : { body, updated_at: ctx.now.toISOString() }
    return { sprint: { id, path }, slot, note, changed: [slot] }
  },
})
