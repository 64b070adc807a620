export const SLOTS = ['planning', 'review', 'retro', 'assistant_summary'] as const
export type Slot = (typeof SLOTS)[number]

export interface Note {
  readonly body: string
  readonly updated_at: string
  /** Where the rest of the body begins, in code points. */
  readonly body_next_offset?: number
}
/** The slots of a sprint; null = empty. */
export type Notes = Readonly<Record<Slot, Note | null>>

/** Fills in the empty slots. */
export function fillSlots(notes: Partial<Notes> | null): Notes {
  return Object.fromEntries(SLOTS.map(slot => [slot, notes?.[slot] ?? null])) as unknown as Notes
}

/**
 * Slices the bodies of notes.
 * @param from code points to skip
 * @param most code points to keep
 * @param before code points that were skipped before
 */
export function sliceNotes(notes: Notes, from: number, most = Infinity, before = 0): Notes {
  const slice = (note: Note | null): Note | null => {
    const points = Array.from(note?.body ?? '').slice(from)
    if (!note || (from === 0 && points.length <= most)) return note
    const body = points.slice(0, most).join('')
    return { ...note, body, ...(points.length > most && { body_next_offset: before + from + most }) }
  }
  return Object.fromEntries(SLOTS.map(slot => [slot, slice(notes[slot])])) as unknown as Notes
}
