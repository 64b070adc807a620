export const SLOTS = ['planning', 'review', 'retro', 'assistant_summary'] as const
export type Slot = (typeof SLOTS)[number]

export interface Note {
  readonly body: string
  readonly updated_at: string
}
/** The slots of a sprint; null = empty. */
export type Notes = Readonly<Record<Slot, Note | null>>

/** Fills in the empty slots. */
export function fillSlots(notes: Partial<Notes> | null): Notes {
  return Object.fromEntries(SLOTS.map(slot => [slot, notes?.[slot] ?? null])) as unknown as Notes
}
