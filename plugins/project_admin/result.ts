import { choice, Type, type Static } from 'tasuki/plugin'
import { FEATURES, type Feature, type ProjectRow } from '../projects/index.ts'

/** A project as writes return it to its owner. */
export const Project = Type.Object({
  key: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  is_inbox: Type.Boolean(),
  archived: Type.Boolean(),
  estimate_unit: choice(['none', 'points', 'hours']),
})

/** @param cleared whether the call cleared the description, which is then shown as null */
export function projectResult(project: ProjectRow, cleared = false): Static<typeof Project> {
  const { key, name, description, isInbox, archived, estimateUnit } = project
  return {
    key,
    name,
    ...((description !== null || cleared) && { description }),
    is_inbox: isInbox,
    archived,
    estimate_unit: estimateUnit,
  }
}

/** The schema of every feature with its state. */
export const Switches = Type.Object(
  Object.fromEntries(Object.keys(FEATURES).map(feature => [feature, Type.Boolean()])) as Record<
    Feature,
    ReturnType<typeof Type.Boolean>
  >,
)
