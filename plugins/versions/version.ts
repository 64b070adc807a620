import { choice, guarded, nullable, quoteName, ToolError, Type, type Static } from 'tasuki/plugin'
import { cleanName } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'

export const NAME_MAX = 120

/** Normalizes a name to its stored form. @throws ToolError invalid_argument for blank text */
export const versionName = (text: string): string => cleanName(text, { noun: 'version name', max: NAME_MAX })

/** Fields that the answer to a write and the history name. */
export const FIELDS = ['name', 'description', 'target_date', 'status', 'released_at'] as const
export const STATUSES = ['planning', 'released', 'archived'] as const

/** A version as tools return it. */
export const versionSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(nullable(Type.String())),
  target_date: Type.Optional(nullable(Type.String())),
  status: choice(STATUSES),
  released_at: Type.Optional(nullable(Type.String())),
  item_count: Type.Integer(),
  done_count: Type.Integer({ description: 'Of them, closed.' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})
export type VersionRecord = Static<typeof versionSchema>

/** The result of a write of a version. */
export const versionResult = Type.Object({ version: versionSchema, changed: Type.Array(Type.String()) })

export const versionRef = Type.String({ description: 'Version name.' })
export const description = (text: string) => guarded(Type.String({ description: text }), { maxLength: 32_000 })

/** Creates the error for a name that a version has, perhaps in another spelling. */
export function nameTaken({ key }: ProjectRow, { id, name }: { id?: string; name: string }): ToolError {
  const hint = 'Use that version, change it with versions_update, or choose another name.'
  const details = { version_id: id }
  return new ToolError('conflict', `${key} has a version ${quoteName(name)} already.`, { field: 'name', hint, details })
}

/** Creates the error for an item that an archived version would take. */
export function versionArchived({ name }: Pick<VersionRecord, 'name'>, field: string): ToolError {
  const hint = 'Choose another version; versions_update with another status brings it back.'
  return new ToolError('invalid_argument', `The version ${quoteName(name)} is archived.`, { field, hint })
}
