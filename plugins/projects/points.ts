import { definePoint, type WriteContext } from 'tasuki/plugin'
import { auditSettingChange } from './audit.ts'

/** A change outside items: of the settings and structure of a project, or of settings of an owner. */
export interface SettingChange {
  readonly ownerId: string
  /** Null = of no single project, such as a workflow. */
  readonly projectId: string | null
  /** For example `sprint.created`. */
  readonly kind: string
  /** The record with the values that changed; null where it did not exist before, or does not any more. */
  readonly from: object | null
  readonly to: object | null
}

/** Follows changes outside items, in the same transaction, after they are written. Must not refuse. */
export const settingChanges =
  definePoint<(ctx: WriteContext, changes: readonly SettingChange[]) => Promise<void>>('projects.settingChanges')

export interface SettingChangeRecord {
  readonly kind: string
  readonly of: { readonly id: string; readonly name: string }
  /** Left out for a new record. */
  readonly before?: object
  /** Left out for a deleted record. */
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
 * Follows whether the people of addresses have invitations to answer, in the same transaction as the change. Must send as many statements
 * for an address without account.
 */
export const invited = definePoint<(ctx: WriteContext, emails: readonly string[]) => Promise<void>>('projects.invited')

/** All points, for the plugin's declaration. */
export const points = [settingChanges, invited]
