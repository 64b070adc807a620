import { setImmediate } from 'node:timers/promises'
import { Value } from '@sinclair/typebox/value'
import type { ReadContext, WriteContext } from 'tasuki/plugin'
import { clockIn, dayIn, zoneOfOwner, type Draft } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { readDueTime, readZoned } from './formats/dates.ts'
import { present } from './formats/json.ts'
import { importParts, type ImportedItem, type ImportProblem, type ImportSource } from './points.ts'
import { problem } from './order.ts'

/** Items handled in one turn of the event loop. */
export const TURN = 500

/** Removes characters that the database rejects, NUL and unpaired surrogates, from a text or from all texts of a part. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed() as T
  if (Array.isArray(value)) return value.map(storable) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, storable(each)])) as T
}

/** Other programs write due dates as instants: they become days and times of day in the zone of the owner. */
export function inZone(item: ImportedItem, zone: string): ImportedItem {
  const [due, start] = [readZoned(item.dueDate), readZoned(item.startDate)]
  return {
    ...item,
    ...(due && present({ dueDate: dayIn(zone, due), dueTime: item.dueTime ?? readDueTime(clockIn(zone, due)) })),
    ...(start && { startDate: dayIn(zone, start) }),
  }
}

/** Reads due dates in the time zone of the project's owner, and replaces the items that stand for several, in order. */
export async function expandItems(
  ctx: ReadContext,
  { ownerId }: ProjectRow,
  items: readonly ImportedItem[],
  problems: ImportProblem[],
): Promise<readonly ImportedItem[]> {
  const parts = ctx.all(importParts.point).filter(({ expand }) => expand)
  const expanded: ImportedItem[] = []
  const zone = zoneOfOwner(ctx, ownerId)
  for (const [n, given] of items.entries()) {
    const item = inZone(given, zone)
    const part = parts.find(({ of, schema }) => of in item.parts && Value.Check(schema, item.parts[of]))
    // Some rules of recurrence take tens of milliseconds.
    if (part || n % TURN === TURN - 1) await setImmediate()
    if (!part) expanded.push(item)
    else {
      const note = (text: string): void => void problems.push(problem(item, part.of, text))
      expanded.push(...part.expand!(ctx, item, item.parts[part.of] as never, note))
    }
  }
  return expanded
}

/** Removes parts that no plugin keeps, that the project does not accept, or whose values do not match the schema of their plugin. */
export function dropMisfits(
  ctx: ReadContext,
  project: ProjectRow,
  items: readonly ImportedItem[],
  problems: ImportProblem[],
): readonly ImportedItem[] {
  const parts = ctx.all(importParts.point).map(part => [part.of, [part, part.refuse?.(ctx, project)]] as const)
  const partsByName = new Map<string, (typeof parts)[number][1]>(parts)
  const misfit = (name: string, value: unknown): string | null => {
    const [part, why] = partsByName.get(name) ?? []
    if (!part) return 'no plugin that is on keeps it'
    if (why) return why
    if (!Value.Check(part.schema, value)) return 'it does not have the form that exports write'
    return part.refuseValue?.(project, value as never) ?? null
  }
  return items.map(item => {
    const valid = Object.entries(item.parts).filter(([name, value]) => {
      const why = misfit(name, value)
      if (why !== null) problems.push(problem(item, name, why))
      return why === null
    })
    return { ...item, parts: Object.fromEntries(valid) }
  })
}

/** Writes the parts of new items by their plugins. */
export async function writeParts(
  ctx: WriteContext,
  project: ProjectRow,
  made: ReadonlyMap<Draft, ImportedItem>,
  { problems, source }: { readonly problems: ImportProblem[]; readonly source: ImportSource },
): Promise<void> {
  for (const part of ctx.all(importParts.point)) {
    const values = [...made].flatMap(([draft, item]) => {
      const value = storable(item.parts[part.of])
      const note = (text: string): void => void problems.push(problem(item, part.of, text))
      return value === undefined ? [] : [{ draft, value, note }]
    })
    if (values.length > 0) await part.write(ctx, project, values, source)
  }
}
