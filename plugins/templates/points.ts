import { defineHook, type WriteContext } from 'tasuki/plugin'
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
  defineHook<(ctx: WriteContext, generated: readonly Generated[]) => Promise<void>>('templates.generated')

/** Copies records of templates to their generated tasks: `onGeneration(copyLabels)`. */
export const onGeneration = (copy: (ctx: WriteContext, copies: readonly ItemCopy[]) => Promise<void>) =>
  templateGenerated((ctx, generated) => {
    const copies = generated.map(({ template, task }) => ({
      owner_id: template.ownerId,
      from_id: template.id,
      to_id: task.id,
    }))
    return copy(ctx, copies)
  })

/** All extension points, for the plugin's declaration. */
export const points = [templateGenerated]
