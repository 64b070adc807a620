import { definePoint, type WriteContext } from 'tasuki/plugin'
import type { Draft, ItemCopy, ItemRow } from '../items/index.ts'

/** A generated task. */
export interface Generated {
  readonly template: ItemRow
  /** The task, already written, with the parent and the placement of the template. */
  readonly task: Draft
  /** The previous task, if it was closed because of this one; null = none. */
  readonly superseded: ItemRow | null
}

/** Copies records of a template to its generated tasks, in a constant number of statements. Must not reject them. */
export const templateGenerated =
  definePoint<(ctx: WriteContext, generated: readonly Generated[]) => Promise<void>>('templates.generated')

/** Returns the items between which statements copy records. */
export const keysOfGenerated = ({ template: { ownerId, id }, task }: Generated): ItemCopy => ({
  owner_id: ownerId,
  from_id: id,
  to_id: task.id,
})

/** All extension points, for the plugin's declaration. */
export const points = [templateGenerated]
