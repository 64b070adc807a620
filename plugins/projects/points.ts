import { defineHook, type WriteContext } from 'tasuki/plugin'

/** A change outside items: of the settings or structure of a project, or of an owner's settings. */
export interface SettingChange {
  readonly ownerId: string
  /** Null for records that belong to no single project, such as a workflow. */
  readonly projectId: string | null
  /** For example `sprint.created`. */
  readonly kind: string
  /** The changed values of the record; null if it did not exist before, or no longer exists. */
  readonly from: object | null
  readonly to: object | null
}

/** Handles changes outside items, in the same transaction, after they are written. Must not reject them. */
export const settingChanges =
  defineHook<(ctx: WriteContext, changes: readonly SettingChange[]) => Promise<void>>('projects.settingChanges')

/**
 * Called in the same transaction when the invitations of email addresses change. Must send the same number of statements for an address
 * without an account.
 */
export const invited = defineHook<(ctx: WriteContext, emails: readonly string[]) => Promise<void>>('projects.invited')

/** All extension points, for the plugin's declaration. */
export const points = [settingChanges, invited]
