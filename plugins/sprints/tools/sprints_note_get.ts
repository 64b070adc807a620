import { defineTool, guarded, nullable, Type } from 'tasuki/plugin'
import { projectKey, requireFeature } from '../../projects/index.ts'
import { readSprintsWithNotes } from '../note.repository.ts'
import { fillSlots, sliceNotes } from '../note.ts'
import { pickSprint } from '../placement.repository.ts'
import { sprintRef } from '../sprint.ts'

const note = Type.Object({
  body: Type.String(),
  updated_at: Type.String(),
  body_next_offset: Type.Optional(Type.Integer()),
})
const slot = nullable(note)

export const sprintsNoteGet = defineTool({
  name: 'sprints_note_get',
  class: 'R',
  title: 'Get sprint notes',
  summary: 'Returns the four note slots of a sprint; empty ones are null.',
  rank: 580,
  gates: ['sprints'],
  input: {
    project_key: projectKey('Project key.'),
    sprint: sprintRef(),
    body_offset: Type.Optional(guarded(Type.Integer({ description: 'From body_next_offset.' }), { minimum: 0 })),
  },
  output: {
    sprint: Type.Object({ id: Type.String(), path: Type.String(), status: Type.String() }),
    notes: Type.Object({ planning: slot, review: slot, retro: slot, assistant_summary: slot }),
  },
  async run(ctx, { project_key, sprint: text, body_offset: offset = 0 }) {
    const { sprints, ...project } = await readSprintsWithNotes(ctx, project_key, text)
    requireFeature(ctx, 'sprints', project)
    const { id, path, status } = pickSprint(sprints ?? [], text, { projectKey: project.key, field: 'sprint' })
    const { notes } = sprints!.find(sprint => sprint.id === id)!
    return { sprint: { id, path, status }, notes: sliceNotes(fillSlots(notes), offset) }
  },
  shorten: ({ sprint, notes }, most, { body_offset: offset = 0 }) => ({
    sprint,
    notes: sliceNotes(notes, 0, most, offset),
  }),
})
