import type { WriteContext } from 'tasuki/plugin'
import { auditSettingChange } from './audit.ts'
import { settingChanges } from './points.ts'

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
