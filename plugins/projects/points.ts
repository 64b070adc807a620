import { definePoint, type WriteContext } from 'tasuki/plugin'

/** A change that is of no item: of a project's settings and what it is organised by, or of what an owner has for all projects. */
export interface SettingChange {
  readonly ownerId: string
  /** Null = of no single project, such as a workflow. */
  readonly projectId: string | null
  /** For example `sprint.created`. */
  readonly kind: string
  /** What it is a change of, with the values that changed; null = was not there, or is gone. */
  readonly from: object | null
  readonly to: object | null
}

/** Hears of changes that are of no item, in the same transaction, after they are written. Must not refuse. */
export const settingChanges =
  definePoint<(ctx: WriteContext, changes: readonly SettingChange[]) => Promise<void>>('projects.settingChanges')

export interface SettingChangeRecord {
  readonly kind: string
  readonly of: { readonly id: string; readonly name: string }
  /** Left out for what was made by this call. */
  readonly before?: object
  /** Left out for what is gone. */
  readonly after?: object
  /** Names of the fields that count; default all that changed. */
  readonly changed?: readonly string[]
}

/** Tells of a change that is of no item; of one that changed nothing it tells nothing. */
export async function recordSettingChange(
  ctx: WriteContext,
  { ownerId, id }: { readonly ownerId: string; readonly id: string | null },
  { kind, of, before, after, changed }: SettingChangeRecord,
): Promise<void> {
  if (before && after && changed?.length === 0) return
  const values = (record: object | undefined): object | null =>
    record ? { id: of.id, name: of.name, ...pickValues(record as Readonly<Record<string, unknown>>, changed) } : null
  const change = { ownerId, projectId: id, kind, from: values(before), to: values(after) }
  for (const observe of ctx.all(settingChanges)) await observe(ctx, [change])
}

function pickValues(record: Readonly<Record<string, unknown>>, names: readonly string[] = Object.keys(record)): object {
  return Object.fromEntries(names.map(name => [name, record[name] ?? null]))
}

/** All points, for the plugin's declaration. */
export const points = [settingChanges]
