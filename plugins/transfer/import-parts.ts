import { setImmediate } from 'node:timers/promises'
import { Value } from '@sinclair/typebox/value'
import type { ReadContext, WriteContext } from 'tasuki/plugin'
import type { Draft } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { importParts, type ImportedItem, type ImportedParts, type ImportProblem, type ImportSource } from './points.ts'
import { problem } from './order.ts'

/** Removes characters that the database rejects, NUL and unpaired surrogates, from a text or from all texts of a part. */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed() as T
  if (Array.isArray(value)) return value.map(storable) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, storable(each)])) as T
}

/** Replaces the items that stand for several, in order. */
export async function expandItems(
  ctx: ReadContext,
  items: readonly ImportedItem[],
  problems: ImportProblem[],
): Promise<readonly ImportedItem[]> {
  const parts = ctx.all(importParts.point).filter(({ expand }) => expand)
  const expanded: ImportedItem[] = []
  for (const item of items) {
    const part = parts.find(({ of, schema }) => of in item.parts && Value.Check(schema, item.parts[of]))
    if (!part) {
      expanded.push(item)
      continue
    }
    const note = (text: string): void => void problems.push(problem(item, part.of, text))
    expanded.push(...part.expand!(ctx, item, item.parts[part.of] as never, note))
    // Yields to the event loop: some rules of recurrence take tens of milliseconds.
    await setImmediate()
  }
  return expanded
}

/** Removes parts whose values do not match the schema of their plugin. */
export function dropMisfits(
  { all }: ReadContext,
  items: readonly ImportedItem[],
  problems: ImportProblem[],
): readonly ImportedItem[] {
  const parts = all(importParts.point)
  return items.map(item => {
    const misfits = parts.filter(({ of, schema }) => of in item.parts && !Value.Check(schema, item.parts[of]))
    if (misfits.length === 0) return item
    const valid = { ...item.parts }
    for (const { of } of misfits) {
      delete valid[of]
      problems.push(problem(item, of, 'it does not have the form that exports write'))
    }
    return { ...item, parts: valid }
  })
}

/** Writes the parts of new items by their plugins; parts without a plugin become problems. */
export async function writeParts(
  ctx: WriteContext,
  project: ProjectRow,
  made: ReadonlyMap<Draft, ImportedItem>,
  { problems, source }: { readonly problems: ImportProblem[]; readonly source: ImportSource },
): Promise<void> {
  const taken = new Set<string>()
  for (const part of ctx.all(importParts.point)) {
    taken.add(part.of)
    const values = [...made].flatMap(([draft, item]) => {
      const value = storable(item.parts[part.of])
      const note = (text: string): void => void problems.push(problem(item, part.of, text))
      return value === undefined ? [] : [{ draft, value, note }]
    })
    if (values.length === 0) continue
    const why = part.refuse?.(ctx, project)
    if (why) for (const { note } of values) note(why)
    else await part.write(ctx, project, values, source)
  }
  for (const item of made.values())
    for (const name of Object.keys(item.parts) as (keyof ImportedParts)[])
      if (!taken.has(name)) problems.push(problem(item, name, 'no plugin that is on keeps it'))
}
