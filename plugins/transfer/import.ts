import { Value } from '@sinclair/typebox/value'
import { clip, firstCharacters, isLonger, nameKey, quoteName, Type } from 'tasuki/plugin'
import type { ReadContext, WriteContext } from 'tasuki/plugin'
import {
  BUILT_IN_KINDS,
  DEFAULT_KIND,
  DETAIL_LIMIT,
  newDraft,
  newItemValues,
  readKinds,
  refuseArchived,
  workflowOf,
  writeItems,
} from '../items/index.ts'
import type { Draft, ItemType, ItemWorkflow } from '../items/index.ts'
import { upcomingTexts, type ItemTexts } from '../items/points.ts'
import { checkRole, type ProjectRow } from '../projects/index.ts'
import { readInstant, readTime } from './formats/dates.ts'
import { dropMisfits, expandItems, storable, writeParts } from './import-parts.ts'
import { findImported, insertOrigins, lockImports } from './origin.repository.ts'
import { importParts, type ImportedItem, type ImportProblem } from './points.ts'
import { problem } from './order.ts'
import { stateFor } from './states.ts'

const TITLE_MOST = 200
const TYPES: readonly ItemType[] = ['task', 'note', 'event']
const DATE = Type.String({ format: 'date' })
const PRIORITIES: readonly (readonly [Draft['after']['priority'], RegExp])[] = [
  ['urgent', /^(urgent|highest|blocker|critical|p0|p1|緊急|最高)/],
  ['high', /^(high|major|p2|高)/],
  ['normal', /^(normal|medium|moderate|p3|中)/],
  ['low', /^(low|minor|trivial|p4|低)/],
]
const KINDS: Readonly<Record<string, string>> = { defect: 'bug', feature: 'story', 'user story': 'story' }

/** The options of an import. */
export interface ImportChoice {
  readonly project: ProjectRow
  readonly format: string
  /** File name, for the history. */
  readonly from: string
  /** The project's states by normalized name of the state in the file. */
  readonly states: ReadonlyMap<string, string>
}

/** The outcome of importing a set of items, or of a dry run. */
export interface ImportOutcome {
  readonly created: number
  /** Number of items that were imported before. */
  readonly known: number
  readonly problems: readonly ImportProblem[]
}

/** The project's properties that an import needs. */
interface Target {
  readonly now: Date
  readonly workflow: ItemWorkflow
  /** Names of parts by the further type of items that needs them. */
  readonly types: ReadonlyMap<string, string>
  readonly kinds: readonly string[]
}

/** @throws ToolError if the project accepts no items */
export async function targetOf(ctx: ReadContext, project: ProjectRow, lock: boolean): Promise<Target> {
  checkRole(ctx, project, { write: true })
  refuseArchived(project, 'project_key')
  const workflow = await workflowOf(ctx, project, { lock })
  const types = new Map(ctx.all(importParts.point).flatMap(({ type, of }) => (type === undefined ? [] : [[type, of]])))
  return { now: ctx.now, workflow, types, kinds: [...BUILT_IN_KINDS, ...(await readKinds(ctx, project))] }
}

/**
 * Imports a set of items, except those that already exist, in a constant number of statements.
 * @param given parents before their children, across all sets
 */
export async function importItems(
  ctx: WriteContext,
  given: readonly ImportedItem[],
  choice: ImportChoice,
): Promise<ImportOutcome> {
  const { project, format } = choice
  await lockImports(ctx, project)
  const target = await targetOf(ctx, project, true)
  const problems: ImportProblem[] = []
  const items = await expandItems(ctx, project, given, problems)
  const fresh = dropMisfits(ctx, project, await findNewItems(ctx, items, choice), problems)
  const made = new Map<Draft, ImportedItem>()
  const parents = fresh.flatMap(({ parent }) => parent ?? [])
  const ids = new Map(await findImported(ctx, project, format, parents))
  for (const item of fresh) {
    const draft = draftOf(item, choice, target, problems)
    if (!draft) continue
    made.set(draft, item)
    ids.set(item.key, draft.id)
    if (item.parent === undefined) continue
    draft.after.parentId = ids.get(item.parent) ?? null
    if (draft.after.parentId === null) problems.push(orphaned(item))
  }
  if (made.size === 0) return { created: 0, known: items.length - fresh.length, problems }
  await writeItems(ctx, [...made.keys()], { tool: 'items_create', input: {}, bulk: true })
  for (const [draft, item] of made) {
    if (draft.problems.length === 0) continue
    problems.push(...draft.problems.map(({ message, help }) => problem(item, help.field ?? '', message)))
    made.delete(draft)
  }
  await insertOrigins(
    ctx,
    [...made].map(([draft, { key, author, assignee }]) => ({
      owner_id: draft.ownerId,
      item_id: draft.id,
      project_id: project.id,
      format,
      key,
      author: author === undefined ? null : clip(author, 200),
      assignee: assignee === undefined ? null : clip(assignee, 200),
      created_at: ctx.now,
    })),
  )
  const source = { find: (keys: readonly string[]) => findImported(ctx, project, format, keys) }
  await writeParts(ctx, project, made, { problems, source })
  return { created: made.size, known: items.length - fresh.length, problems }
}

/** Returns the items that were not yet imported, each key once. */
export async function findNewItems(
  ctx: ReadContext,
  items: readonly ImportedItem[],
  { project, format }: ImportChoice,
): Promise<readonly ImportedItem[]> {
  const keys = items.map(({ key }) => key)
  const known = await findImported(ctx, project, format, keys)
  return items.filter(({ key }) => !known.has(key))
}

/** Reports that the parent of an item is not imported. */
export const orphaned = (item: ImportedItem): ImportProblem =>
  problem(item, 'parent', `its parent ${quoteName(item.parent!, 80)} is not among the imported items`)

interface Texts extends ItemTexts {
  /** The title is longer than an item's; the body begins with the whole. */
  readonly isCut: boolean
  readonly isBodyCut: boolean
}

/** Returns title and body as they are stored; the title is empty if there is none. */
function textsOf(item: ImportedItem): Texts {
  const whole = storable(item.title)
    .replaceAll(/[\n-\r\u0085\u2028\u2029]+/g, ' ')
    .trim()
  const isCut = isLonger(whole, TITLE_MOST)
  const body = isCut ? `${whole}\n\n${storable(item.detail ?? '')}` : storable(item.detail ?? '')
  return {
    title: isCut ? clip(whole, TITLE_MOST) : whole,
    detail: firstCharacters(body, DETAIL_LIMIT),
    isCut,
    isBodyCut: isLonger(body, DETAIL_LIMIT),
  }
}

/** Lets plugins prepare what depends on the texts of items, in the order in which they will be imported. */
export function announceItems(ctx: ReadContext, items: readonly ImportedItem[]): void {
  const texts = items.map(textsOf)
  for (const prepare of ctx.all(upcomingTexts)) prepare(ctx, texts)
}

/** Returns a draft of a new item without its parent; null = the item is left out, with a problem that explains it. */
export function draftOf(
  item: ImportedItem,
  { project, from, states }: ImportChoice,
  { now, workflow, kinds, types }: Target,
  problems: ImportProblem[],
): Draft | null {
  const note = (field: string, text: string): void => void problems.push(problem(item, field, text))
  const { title, detail, isCut, isBodyCut } = textsOf(item)
  if (title === '') {
    note('title', 'it has no title, so it is left out')
    return null
  }
  if (isCut) note('title', `longer than ${TITLE_MOST} characters: cut, and the whole is in the body`)
  if (isBodyCut) note('detail', `longer than ${DETAIL_LIMIT} characters: cut`)
  const { state, known } = stateFor(item, workflow.states, states)
  if (!state) {
    note('status', `the workflow ${quoteName(workflow.name)} has no state for ${quoteName(item.status ?? '', 80)}`)
    return null
  }
  if (!known && item.status !== undefined)
    note('status', `${quoteName(item.status, 80)} is unknown: ${quoteName(state.name)}`)
  const type = (item.type ?? 'task') as ItemType
  if (!TYPES.includes(type) && !((types.get(type) ?? '') in item.parts)) {
    note('type', `items of type ${quoteName(item.type!, 80)} are not imported`)
    return null
  }
  const createdAt = instantOf(item, 'createdAt', now, note)
  const dueDate = dayOf(item, 'dueDate', note)
  if (type === 'event' && dueDate === null) note('dueDate', 'an event without a date is in no calendar')
  const isClosed = state.system_status === 'closed'
  return newDraft({
    project,
    workflowId: workflow.id,
    reason: `Imported from ${clip(from, 100)}: ${clip(item.key.replaceAll('\n', ' '), 100)}`,
    madeAt: createdAt,
    values: {
      ...newItemValues(type, { stateId: state.id }),
      title,
      detail,
      dueDate,
      dueTime: timeOf(item, dueDate, note),
      startDate: dayOf(item, 'startDate', note),
      priority: priorityOf(item, note),
      kind: kindOf(item, kinds, note),
      archivedAt:
        item.archivedAt === undefined ? null : (instantOf(item, 'archivedAt', now, note) ?? now.toISOString()),
      completedAt: isClosed ? (instantOf(item, 'completedAt', now, note) ?? createdAt ?? now.toISOString()) : null,
    },
  })
}

type Note = (field: string, text: string) => void

/** Returns a time that the database accepts and that is not in the future; else null. */
function instantOf(
  item: ImportedItem,
  field: 'createdAt' | 'completedAt' | 'archivedAt',
  now: Date,
  note: Note,
): string | null {
  const text = item[field]
  if (!text) return null
  const instant = readInstant(text)
  if (instant !== undefined && Date.parse(instant) <= now.getTime()) return instant
  note(field, `${quoteName(text, 80)} is no time in the past that can be read: left out`)
  return null
}

function dayOf(item: ImportedItem, field: 'dueDate' | 'startDate', note: Note): string | null {
  const text = item[field]
  if (text === undefined) return null
  if (Value.Check(DATE, text)) return text
  note(field, `${quoteName(text, 80)} is no date that can be read: left out`)
  return null
}

/** Without a date there is no time. */
function timeOf({ dueTime = '' }: ImportedItem, date: string | null, note: Note): string | null {
  const time = readTime(dueTime)
  if (date !== null && time !== undefined) return time
  if (dueTime !== '') note('dueTime', `${quoteName(dueTime, 80)} is no time of a day that can be read: left out`)
  return null
}

function priorityOf({ priority }: ImportedItem, note: Note): Draft['after']['priority'] {
  const name = nameKey(priority ?? '')
  if (name === '' || /^(no priority|none|なし)$/.test(name)) return null
  const found = PRIORITIES.find(([, pattern]) => pattern.test(name))
  if (!found) note('priority', `${quoteName(priority!, 80)} is unknown: left out`)
  return found?.[0] ?? null
}

function kindOf({ kind }: ImportedItem, kinds: readonly string[], note: Note): string {
  const name = nameKey(kind ?? '')
  if (name === '' || /^sub-?task$/.test(name)) return DEFAULT_KIND
  const found = [name, KINDS[name] ?? '', name.replaceAll(' ', '-')].find(each => kinds.includes(each))
  if (found === undefined) note('kind', `${quoteName(kind!, 80)} is unknown: ${DEFAULT_KIND}`)
  return found ?? DEFAULT_KIND
}
