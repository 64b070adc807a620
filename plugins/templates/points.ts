import { definePoint, type WriteContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from '../items/index.ts'

/** A task that a template made. */
export interface Generated {
  readonly template: ItemRow
  /** Already written, with the parent and the placement of the template. */
  readonly task: Draft
  /** The previous task, which was closed because of this one; null = none. */
  readonly superseded: ItemRow | null
}

/** Copies to generated tasks what their template has, in a fixed number of statements. Must not refuse. */
export const templateGenerated =
  definePoint<(ctx: WriteContext, generated: readonly Generated[]) => Promise<void>>('templates.generated')

/** All points, for the plugin's declaration. */
export const points = [templateGenerated]
