import { definePoint, type WriteContext } from 'tasuki/plugin'

/** Binds a new note to the current conversation as its plan. Returns what it was bound to, or why it was not. */
export interface PlanBinding {
  bind(
    ctx: WriteContext,
    note: { readonly ownerId: string; readonly id: string; readonly ref: string },
  ): Promise<{ readonly bound: string } | { readonly warning: string }>
}
export const planBindings = definePoint<PlanBinding>('notes.planBindings')

/** All points, for the plugin's declaration. */
export const points = [planBindings]
