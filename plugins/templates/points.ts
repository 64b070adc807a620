import { definePoint, type WriteContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from '../items/index.ts'

/** A task that a template made. */
export interface Generated {
  readonly template: ItemRow
  /** Written already; it has the template's parent and inherited placement. */
  readonly task: Draft
  /** The task before, which was closed because of this one; null = there was none to close. */
  readonly superseded: ItemRow | null
}

/** Gives generated tasks what their template has; a few statements whatever their number. Must not refuse. */
export const templateGenerated =
  definePoint<(ctx: WriteContext, generated: readonly Generated[]) => Promise<void>>('templates.generated')

/** All points, for the plugin's declaration. */
export const points = [templateGenerated]
