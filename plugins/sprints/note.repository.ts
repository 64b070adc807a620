import { anyOf, compare, deleteWhere, idIs, iso, nameKey, overwrite, sql } from 'tasuki/plugin'
import type { OwnedKey, ReadContext, WriteContext } from 'tasuki/plugin'
import { pathKey } from '../items/index.ts'
import { readWithProject } from '../projects/index.ts'
import type { Notes, Slot } from './note.ts'
import { sprints } from './placement.repository.ts'
import type { SprintRow } from './sprint.ts'

/** The notes of the sprint `sp` by slot, as jsonb; null for none. */
const notesOf = sql<Partial<Notes> | null>`(
  select jsonb_object_agg(t.slot, jsonb_build_object('body', t.body, 'updated_at',
    ${iso('t.updated_at')}))
  from sprints.notes t where t.owner_id = sp.owner_id and t.sprint_id = sp.id)`

/** Reads the notes of a known sprint; null = none. */
export async function readNoteRows(ctx: ReadContext, { ownerId, id }: OwnedKey): Promise<Partial<Notes> | null> {
  const row = await ctx.db
    .selectFrom('sprints.sprints as sp')
    .select(notesOf.as('notes'))
    .where(({ and }) => and({ 'sp.owner_id': ownerId, 'sp.id': id }))
    .executeTakeFirst()
  return row?.notes ?? null
}

/**
 * Reads the sprints of a project with the notes of those that a text may name. The name can be resolved only among all sprints.
 * @throws ToolError not_found, ambiguous_ref
 */
export function readSprintsWithNotes(ctx: ReadContext, key: string, text: string) {
  const word = nameKey(text)
  const mayBeMeant = word.startsWith('@')
    ? sql.raw(`sp.status <> 'closed'`)
    : anyOf([idIs('sp.id', word), compare('sp.name_key', '=', pathKey(text).split('/').at(-1))])
  return readWithProject<{ readonly sprints: (SprintRow & { notes: Partial<Notes> | null })[] | null }>(
    ctx,
    key,
    sql`(select jsonb_agg(${sprints.sql.row} || jsonb_build_object('notes', case when ${mayBeMeant} then ${notesOf} end))
      from sprints.sprints sp ${sprints.sql.ancestors} where sp.owner_id = p.owner_id and sp.project_id = p.id) as sprints`,
  )
}

export async function upsertNote(ctx: WriteContext, { ownerId, id }: OwnedKey, slot: Slot, body: string) {
  await ctx.db
    .insertInto('sprints.notes')
    .values({ owner_id: ownerId, sprint_id: id, slot, body, updated_at: ctx.now })
    .onConflict(overwrite(['owner_id', 'sprint_id', 'slot'], ['body', 'updated_at']))
    .execute()
}

export async function deleteNote(ctx: WriteContext, { ownerId, id }: OwnedKey, slot: Slot): Promise<void> {
  await deleteWhere(ctx.db, 'sprints.notes', { owner_id: ownerId, sprint_id: id, slot })
}
