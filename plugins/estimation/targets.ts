import { isUuid, ToolError, type WriteContext } from 'tasuki/plugin'
import { requireItemUnchanged, draftOf, findItems, lockItems, type Draft } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/**
 * Finds and locks the items of a project by id or reference, in two statements.
 * @returns drafts in the order of the texts, and the errors of the other texts
 */
export async function lockTargets(
  ctx: WriteContext,
  project: ProjectRow,
  texts: readonly string[],
): Promise<{ readonly drafts: readonly Draft[]; readonly problems: readonly ToolError[] }> {
  const ids = await idsOf(ctx, project, texts)
  // All at once and in key order, so that two calls cannot deadlock.
  const known = [...new Set(ids.filter(id => typeof id === 'string'))]
  const keys = known.map(id => ({ ownerId: project.ownerId, id }))
  const items = await lockItems(ctx, keys)
  const problems: ToolError[] = []
  const drafts = ids.flatMap((id, n) => {
    const [text, field] = [texts[n]!, `estimates[${n}].item_id`]
    const item = typeof id === 'string' ? items.get(id) : undefined
    const problem =
      id instanceof ToolError
        ? new ToolError(id.code, id.message, { ...id.help, field })
        : item?.project.id !== project.id
          ? notInProject(project, text, field)
          : ids.indexOf(id) < n
            ? new ToolError('invalid_argument', `${text} is named twice.`, { field, hint: 'Name each item once.' })
            : null
    if (problem) problems.push(problem)
    return problem || !item ? [] : [draftOf(item)]
  })
  for (const draft of drafts) requireItemUnchanged(ctx, draft.before!)
  return { drafts, problems }
}

/** Returns the id of each text, or its error. */
async function idsOf(
  ctx: WriteContext,
  project: ProjectRow,
  texts: readonly string[],
): Promise<readonly (string | ToolError)[]> {
  const words = texts.map(text => text.trim().toLowerCase())
  const refs = texts.filter((_, n) => !isUuid(words[n]!))
  const found = refs.length === 0 ? [] : await findItems(ctx, refs, { write: true })
  const byRef = new Map(found.map(one => [one.ref, one]))
  return words.map((word, n) => {
    const one = byRef.get(texts[n]!)
    if (!one) return word
    if ('error' in one) return one.error
    return one.item.project.id === project.id ? one.item.id : notInProject(project, texts[n]!, '')
  })
}

function notInProject({ key }: ProjectRow, text: string, field: string): ToolError {
  return new ToolError('not_found', `${key} has no item ${text}.`, {
    field,
    hint: 'One call sets estimates in one project; agile_estimate_suggest and tasks_list show its items.',
  })
}
