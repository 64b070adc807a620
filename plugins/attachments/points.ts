import { definePoint, type Condition, type OwnedKey, type ReadContext } from 'tasuki/plugin'
import type { ItemChange } from '../items/points.ts'

/** The parameters that name a parent. */
export interface ParentInput {
  readonly parent_ref?: string
  readonly parent_id?: string
  readonly thread_id?: string
}

/** The parent of a file. */
export interface FoundParent extends OwnedKey {
  /** Users who may see the project may see the file; null = only the owner. */
  readonly projectId: string | null
  /** The item that the parent is or belongs to. Deleting it deletes the file, and its history records the file. */
  readonly item: Pick<ItemChange, 'itemId' | 'ref' | 'title'> | null
}

/** A kind of record that can have files. */
export interface AttachmentParent {
  /** Value of `parent_kind`. */
  readonly kind: string
  /** Required parameters of an upload; attachments_list needs only the first one. */
  readonly needs: readonly [keyof ParentInput, ...(keyof ParentInput)[]]
  /** Finds the parent in one statement. @throws ToolError not_found; forbidden if `write` is set and the caller may not attach files */
  find(ctx: ReadContext, input: ParentInput, demand: { readonly write: boolean }): Promise<FoundParent>
  /** Condition that the parent of the attachment `a` (owner_id, parent_id) exists; omitted if a foreign key deletes the file. */
  readonly exists?: Condition
}
export const attachmentParents = definePoint<AttachmentParent>('attachments.parents')

/** All extension points, for the plugin's declaration. */
export const points = [attachmentParents]
