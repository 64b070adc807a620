import { definePoint, type WriteContext } from 'tasuki/plugin'

/** Binds a new note to the current conversation as its plan. Returns the conversation, or why the note was not bound. */
export interface PlanBinding {
  bind(
    ctx: WriteContext,
    note: { readonly ownerId: string; readonly id: string; readonly ref: string },
  ): Promise<{ readonly bound: string } | { readonly warning: string }>
}
export const planBindings = definePoint<PlanBinding>('notes.planBindings')

/** All extension points, for the plugin's declaration. */
export const points = [planBindings]
