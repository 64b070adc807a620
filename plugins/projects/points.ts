import { definePoint, type WriteContext } from 'tasuki/plugin'
import { auditSettingChange } from './audit.ts'

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
  definePoint<(ctx: WriteContext, changes: readonly SettingChange[]) => Promise<void>>('projects.settingChanges')

export interface SettingChangeRecord {
  readonly kind: string
  readonly of: { readonly id: string; readonly name: string }
  /** Omitted for a new record. */
  readonly before?: object
  /** Omitted for a deleted record. */
  readonly after?: object
  /** Names of the fields to record; default all. */
  readonly changed?: readonly string[]
}

/** Records a change outside items, unless nothing changed. */
export async function recordSettingChange(
  ctx: WriteContext,
  { ownerId, id }: { readonly ownerId: string; readonly id: string | null },
  { kind, of, before, after, changed }: SettingChangeRecord,
): Promise<void> {
  if (before && after && changed?.length === 0) return
  const values = (record: object | undefined): object | null =>
    record ? { id: of.id, name: of.name, ...pickValues(record as Readonly<Record<string, unknown>>, changed) } : null
  const change = { ownerId, projectId: id, kind, from: values(before), to: values(after) }
  auditSettingChange(ctx, change)
  for (const observe of ctx.all(settingChanges)) await observe(ctx, [change])
}

function pickValues(record: Readonly<Record<string, unknown>>, names: readonly string[] = Object.keys(record)): object {
  return Object.fromEntries(names.map(name => [name, record[name] ?? null]))
}

/**
 * Called in the same transaction when the invitations of email addresses change. Must send the same number of statements for an address
 * without an account.
 */
export const invited = definePoint<(ctx: WriteContext, emails: readonly string[]) => Promise<void>>('projects.invited')

/** All extension points, for the plugin's declaration. */
export const points = [settingChanges, invited]
