import { defineTool, nameKey, nullable, sql, Type } from 'tasuki/plugin'
import { pathKey } from '../../items/index.ts'
import { keyIs, oneProject, projectColumns, projectKey, requireFeature, type ProjectRow } from '../../projects/index.ts'
import { allSlots, notesOf, type Notes } from '../notes.ts'
import { pickSprint, sprints as placement } from '../placement.repository.ts'
import type { SprintRow } from '../sprint.ts'
import { sprintRef } from '../sprint.ts'

const note = Type.Object({ body: Type.String(), updated_at: Type.String() })
const slot = nullable(note)

export const sprintsNoteGet = defineTool({
  name: 'sprints_note_get',
  class: 'R',
  title: 'Get sprint notes',
  summary: 'Returns the four note slots of a sprint; empty ones are null.',
  rank: 580,
  gates: ['sprints'],
  input: Type.Object({ project_key: projectKey('Project key.'), sprint: sprintRef() }, { additionalProperties: false }),
  output: Type.Object({
    sprint: Type.Object({ id: Type.String(), path: Type.String(), status: Type.String() }),
    notes: Type.Object({ planning: slot, review: slot, retro: slot, assistant_summary: slot }),
  }),
  async run(ctx, { project_key, sprint: text }) {
    // Which sprint is meant turns out only among all of them, so the notes of every one that may be come along.
    const word = nameKey(text)
    const may = word.startsWith('@')
      ? sql`sp.status <> 'closed'`
      : sql`sp.id::text = ${word} or sp.name_key = ${pathKey(text).split('/').at(-1)}`
    const { rows } = await sql<
      ProjectRow & { readonly sprints: (SprintRow & { notes: Partial<Notes> | null })[] | null }
    >`
      select ${projectColumns(ctx, 'p')}, (
        select jsonb_agg(${placement.sql.row} || jsonb_build_object('notes', case when ${may} then ${notesOf} end))
        from sprints.sprints sp ${placement.sql.ancestors} where sp.owner_id = p.owner_id and sp.project_id = p.id
      ) as sprints
      from projects.projects p where ${keyIs(ctx, project_key)} limit 2
    `.execute(ctx.db)
    const { sprints, ...project } = await oneProject(ctx, rows, project_key)
    requireFeature(ctx, 'sprints', project)
    const { id, path, status } = pickSprint(sprints ?? [], text, { projectKey: project.key, field: 'sprint' })
    const { notes } = sprints!.find(sprint => sprint.id === id)!
    return { sprint: { id, path, status }, notes: allSlots(notes) }
  },
})
