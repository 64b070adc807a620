import { definePoint, type Condition, type OwnedKey, type ReadContext } from 'tasuki/plugin'
import type { ItemChange } from '../items/points.ts'

/** The parameters that name a parent. */
export interface ParentInput {
  readonly parent_ref?: string
  readonly parent_id?: string
  readonly thread_id?: string
}

/** What a file is attached to. */
export interface FoundParent extends OwnedKey {
  /** Who sees the project sees the file; null = the owner alone. */
  readonly projectId: string | null
  /** The item that it is or belongs to: the file is deleted with it, and its history mentions the file. */
  readonly item: Pick<ItemChange, 'itemId' | 'ref' | 'title'> | null
}

/** A kind of thing that files can be attached to. */
export interface AttachmentParent {
  /** Value of `parent_kind`. */
  readonly kind: string
  /** Parameters without which there is no upload; attachments_list asks for the first of them alone. */
  readonly needs: readonly [keyof ParentInput, ...(keyof ParentInput)[]]
  /** Finds it in one statement. @throws ToolError not_found, or forbidden when the caller may not attach to it (`write`). */
  find(ctx: ReadContext, input: ParentInput, demand: { readonly write: boolean }): Promise<FoundParent>
  /** Whether the parent of the attachment `a` (owner_id, parent_id) still exists; left out where a foreign key deletes the file. */
  readonly exists?: Condition
}
export const attachmentParents = definePoint<AttachmentParent>('attachments.parents')

/** All points, for the plugin's declaration. */
export const points = [attachmentParents]
