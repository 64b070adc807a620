import { quoteName, quoteValue, ToolError, type ReadContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { findByName, findLabel, firstNames, type LabelDemand } from './label.repository.ts'
import type { LabelRecord } from './label.ts'

/** Finds a label of a project that the caller may change. @throws ToolError not_found, ambiguous_ref, forbidden */
export async function requireLabel(
  ctx: ReadContext,
  key: string,
  id: string,
  demand: LabelDemand = {},
): Promise<{ readonly project: ProjectRow; readonly label: LabelRecord }> {
  const { label, ...project } = await findLabel(ctx, key, id, demand)
  if (label) return { project, label }
  throw new ToolError('not_found', `${project.key} has no label ${quoteValue(id)}.`, {
    field: 'label_id',
    allowed: await firstNames(ctx, project, 20),
    hint: 'project_labels_list shows the labels of the project with their ids.',
  })
}

/** Creates the error for an existing name. */
export async function nameTaken(ctx: ReadContext, project: ProjectRow, name: string): Promise<ToolError> {
  const other = await findByName(ctx, project, name)
  const hint = other?.archived_at
    ? 'It was deleted but is still on items: project_labels_create brings it back.'
    : 'Use that label, change it with project_labels_patch, or choose another name.'
  return new ToolError('conflict', `${project.key} has a label ${quoteName(other?.name ?? name)} already.`, {
    field: 'name',
    hint,
    ...(other && { details: { label_id: other.id, name: other.name } }),
  })
}
