import { guarded, nameKey, quoteName, ToolError, Type, uuid, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { itemParams, type Draft, type ItemWrite } from '../items/points.ts'
import { readLabels, type LabelEdit } from './edit.ts'
import { deleteItemLabels, insertItemLabels, readKnownLabels, type KnownLabel } from './item-label.repository.ts'
import { labelName, NAME_MAX } from './names.ts'

/** The planned change of one item's labels. */
interface Plan {
  readonly draft: Draft
  readonly removed: readonly KnownLabel[]
  /** By key; the value is the name for a new definition. */
  readonly added: ReadonlyMap<string, string>
  /** Keys of `added` whose label is not defined, or deleted. */
  readonly undefined: ReadonlySet<string>
}

/** Maximum number of labels per item. */
export const MOST = 50

/** Returns the parameter `labels`; a sign may precede each name. */
const labels = (description: string) =>
  guarded(Type.Array(guarded(Type.String(), { minLength: 1, maxLength: NAME_MAX + 1 }), { description }), {
    maxItems: MOST,
  })

/** The parameter `labels` of the tools that create items. */
export const newLabelsParam = itemParams({
  tools: ['items_create'],
  params: { labels: labels('Label names.') },
  prepare(ctx, drafts, { labels }) {
    if (labels === undefined) return undefined
    const edit = readLabels(labels)
    const [unknown] = edit.remove.values()
    if (unknown === undefined) return planWrite(ctx, drafts, edit)
    throw new ToolError('invalid_argument', `A new item has no label ${quoteName(unknown)} to remove.`, {
      field: 'labels',
      hint: 'Give the names of its labels alone.',
    })
  },
})

/** The parameter `labels` of the tools that change items. */
export const labelsParam = itemParams({
  tools: ['items_patch', 'items_bulk_patch'],
  params: { labels: labels('Replace the set; or +name adds and -name removes.') },
  prepare: (ctx, drafts, { labels }) => (labels === undefined ? undefined : planWrite(ctx, drafts, readLabels(labels))),
})

/** Replaces the labels of items by names, which may begin with a sign. @throws ToolError invalid_argument */
export async function replaceLabels(
  ctx: ReadContext,
  drafts: readonly Draft[],
  names: readonly string[],
): Promise<ItemWrite | undefined> {
  const cleaned = names.map(name => labelName(name, 'labels'))
  const add = new Map(cleaned.map(name => [nameKey(name), name]))
  return planWrite(ctx, drafts, { replaces: true, add, remove: new Map() })
}

async function planWrite(ctx: ReadContext, drafts: readonly Draft[], edit: LabelEdit): Promise<ItemWrite | undefined> {
  const known = await findKnownLabels(ctx, drafts, [...edit.add.keys(), ...edit.remove.keys()])
  const plans = new Map(
    drafts.flatMap(draft => {
      const plan = planLabels(draft, edit, known)
      return plan ? [[draft.id, plan]] : []
    }),
  )
  if (plans.size === 0) return undefined
  const planOf = (draft: Draft) => plans.get(draft.id) ?? []
  return (ctx, written) => apply(ctx, written.flatMap(planOf))
}

async function findKnownLabels(
  ctx: ReadContext,
  drafts: readonly Draft[],
  keys: string[],
): Promise<readonly KnownLabel[]> {
  const existing = drafts.flatMap(draft => (draft.before ? [draft.id] : []))
  if (keys.length === 0 && existing.length === 0) return []
  return readKnownLabels(ctx, {
    ownerIds: unique(drafts.map(draft => draft.ownerId)),
    projectIds: unique(drafts.map(draft => draft.project.id)),
    itemIds: existing,
    keys,
  })
}

/** Records the change on the draft; null if its labels stay the same. */
function planLabels(draft: Draft, edit: LabelEdit, known: readonly KnownLabel[]): Plan | null {
  const ofProject = known.filter(label => label.projectId === draft.project.id)
  for (const [key, name] of edit.remove)
    if (!ofProject.some(label => label.key === key))
      draft.warnings.push(`${draft.project.key} has no label ${quoteName(name)}.`)
  const before = ofProject.filter(label => label.items.includes(draft.id))
  const removed = before.filter(({ key }) => (edit.replaces ? !edit.add.has(key) : edit.remove.has(key)))
  const carried = new Set(before.map(label => label.key))
  const added = new Map([...edit.add].filter(([key]) => !carried.has(key)))
  if (removed.length === 0 && added.size === 0) return null
  const defined = new Map(ofProject.map(label => [label.key, label]))
  const after = [
    ...ofProject.filter(label => added.has(label.key) || (carried.has(label.key) && !removed.includes(label))),
    ...[...added].flatMap(([key, name]) => (defined.has(key) ? [] : [{ name }])),
  ].map(label => label.name)
  if (after.length > MOST) draft.problems.push(tooMany(draft, after.length))
  draft.change(
    'labels',
    before.map(label => label.name),
    after,
  )
  const undefinedKeys = [...added.keys()].filter(key => defined.get(key)?.archived !== false)
  return { draft, removed, added, undefined: new Set(undefinedKeys) }
}

function tooMany({ ref }: Draft, count: number): ToolError {
  return new ToolError('limit_exceeded', `${ref} would have ${count} labels; ${MOST} is the most.`, {
    field: 'labels',
    hint: 'Remove some in the same call: -name.',
  })
}

async function apply(ctx: WriteContext, plans: readonly Plan[]): Promise<void> {
  const removed = plans.flatMap(({ draft, removed }) =>
    removed.map(label => ({ owner_id: draft.ownerId, item_id: draft.id, label_id: label.id })),
  )
  if (removed.length > 0) await deleteItemLabels(ctx, removed)
  if (plans.some(plan => plan.added.size > 0)) await insertLabels(ctx, plans)
}

/** Adds labels to new items by key; defines missing or deleted ones. */
export function addLabels(
  ctx: WriteContext,
  additions: readonly { readonly draft: Draft; readonly added: ReadonlyMap<string, string> }[],
): Promise<void> {
  const plans = additions.map(each => ({ ...each, removed: [], undefined: new Set(each.added.keys()) }))
  return insertLabels(ctx, plans)
}

async function insertLabels(ctx: WriteContext, plans: readonly Plan[]): Promise<void> {
  const links = plans.flatMap(({ draft: { ownerId: owner_id, id: item_id, project }, added }) =>
    [...added.keys()].map(name_key => ({ owner_id, item_id, project_id: project.id, name_key })),
  )
  // By project and key: several items of a call may need the same new label.
  const definitions = new Map(
    plans.flatMap(({ draft, added, undefined: keys }) =>
      [...keys].map(key => [
        `${draft.project.id} ${key}`,
        { owner_id: draft.ownerId, id: uuid(), project_id: draft.project.id, name: added.get(key)!, name_key: key },
      ]),
    ),
  )
  const placed = [...definitions.values()].map((definition, index) => ({ ...definition, position: index + 1 }))
  await insertItemLabels(ctx, links, placed)
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]
