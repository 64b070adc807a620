import { iso, sql, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { SprintRow } from './sprint.ts'
import { recordSettingChange } from '../projects/index.ts'

export const SLOTS = ['planning', 'review', 'retro', 'assistant_summary'] as const
export type Slot = (typeof SLOTS)[number]

export interface Note {
  readonly body: string
  readonly updated_at: string
}
/** The slots of a sprint; null = empty. */
export type Notes = Readonly<Record<Slot, Note | null>>

/** The notes of the sprint `sp`, by slot, as jsonb; null when it has none. */
export const notesOf = sql<Partial<Notes> | null>`(
  select jsonb_object_agg(t.slot, jsonb_build_object('body', t.body, 'updated_at',
    ${iso('t.updated_at')}))
  from sprints.notes t where t.owner_id = sp.owner_id and t.sprint_id = sp.id)`

export function allSlots(notes: Partial<Notes> | null): Notes {
  return Object.fromEntries(SLOTS.map(slot => [slot, notes?.[slot] ?? null])) as unknown as Notes
}

/** Reads the notes of a sprint that is known. */
export async function readNotes(ctx: ReadContext, { ownerId, id }: Pick<SprintRow, 'ownerId' | 'id'>): Promise<Notes> {
  const { rows } = await sql<{ notes: Partial<Notes> | null }>`
    select ${notesOf} as notes from sprints.sprints sp where sp.owner_id = ${ownerId} and sp.id = ${id}
  `.execute(ctx.db)
  return allSlots(rows[0]?.notes ?? null)
}

/** Replaces a note, or empties its slot. */
export async function writeNote(
  ctx: WriteContext,
  { ownerId, id, projectId, path }: Pick<SprintRow, 'ownerId' | 'id' | 'projectId' | 'path'>,
  slot: Slot,
  body: string,
): Promise<void> {
  const place = { ownerId, id: projectId }
  await recordSettingChange(ctx, place, { kind: 'sprint.note.changed', of: { id, name: path }, after: { slot, body } })
  if (body === '') {
    await sql`delete from sprints.notes where owner_id = ${ownerId} and sprint_id = ${id} and slot = ${slot}`.execute(
      ctx.db,
    )
    return
  }
  await sql`
    insert into sprints.notes (owner_id, sprint_id, slot, body, updated_at) values (${ownerId}, ${id}, ${slot}, ${body}, ${ctx.now})
    on conflict (owner_id, sprint_id, slot) do update set body = excluded.body, updated_at = excluded.updated_at
  `.execute(ctx.db)
}
