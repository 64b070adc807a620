import { choice, clip, contributedSql, defineTool, Type, widen, type All, type TProperties } from 'tasuki/plugin'
import { readItemsByRef, sectionColumns } from '../item-columns.repository.ts'
import type { Shape } from '../item-shape.ts'
import { itemSections } from '../points.ts'
import { itemFrom, shortenDetail, singleItem } from '../read.ts'
import { itemRef, matchRef, readRef } from '../refs.ts'

const Input = Type.Object({ item_ref: itemRef() })

/** Lists the existing sections; without sections there is no such parameter. */
function includeParam(all: All): TProperties {
  const names = all(itemSections)
    .map(section => section.name)
    .toSorted()
  if (names.length === 0) return {}
  return { include: Type.Array(choice(names), { description: 'Sections to add; default all.' }) }
}

const SHAPE: Shape = { flags: 'single', detail: 'full' }

export const itemsContextGet = defineTool({
  name: 'items_context_get',
  class: 'R',
  title: 'Get item with context',
  summary: 'Reads one item with what hangs on it.',
  rank: 200,
  input: all => widen(Input, [{ from: itemSections.id, properties: includeParam(all) }]),
  output: all =>
    Type.Object({
      item: singleItem(all),
      ...Object.fromEntries(all(itemSections).map(section => [section.name, Type.Optional(section.schema)])),
      warnings: Type.Optional(Type.Array(Type.String())),
    }),
  async run(ctx, input) {
    const wanted = (input as { include?: readonly string[] }).include
    const sections = ctx.all(itemSections).filter(section => !wanted || wanted.includes(section.name))
    const ref = readRef(ctx, input.item_ref, 'item_ref')
    const extra = sectionColumns(
      sections.map(section => contributedSql(section, () => section.sql(ctx))),
      sections.map(section => section.rest && contributedSql(section, () => section.rest!.total)),
    )
    const rows = await readItemsByRef(ctx, ref, SHAPE, extra)
    const {
      sections: found,
      totals: counted,
      ...columns
    } = matchRef(ctx, ref, rows, input.item_ref, 'item_ref').columns
    const values = (found as readonly unknown[]).map(value => value ?? [])
    const warnings = sections.flatMap(({ name, rest }, n) => {
      const shown = Array.isArray(values[n]) ? values[n].length : 0
      const total = (counted as readonly (number | null)[])[n] ?? 0
      return rest && total > shown
        ? [`${name} has the first ${shown} of ${total}; ${rest.tool} with offset ${shown} reads on.`]
        : []
    })
    const item = itemFrom(ctx, SHAPE, columns)
    // Omits item fields that have a section of their own.
    for (const { name } of sections) delete item[name]
    return {
      item,
      ...Object.fromEntries(sections.map((section, n) => [section.name, values[n]])),
      ...(warnings.length > 0 && { warnings }),
    }
  },
  shorten({ item, warnings = [], ...sections }, most) {
    const short = shortenDetail(item, most)
    const cuts =
      short === item ? [] : [`The body is cut to ${most} characters; items_get with detail_offset ${most} reads on.`]
    const kept = Object.entries(sections).map(([name, rows]) => {
      const some = cutSection(rows, most)
      if (JSON.stringify(some) !== JSON.stringify(rows)) cuts.push(`${name} is cut; ${name}_list reads all.`)
      return [name, some]
    })
    return { ...Object.fromEntries(kept), item: short, warnings: [...warnings, ...cuts] }
  },
})

/** Cuts the rows of a section and their texts; a section that is no list stays. @param most code points of a text; a hundredth of it are rows */
function cutSection(rows: unknown, most: number): unknown {
  if (!Array.isArray(rows)) return rows
  const texts = (row: object) =>
    Object.entries(row).map(([key, value]) => [key, typeof value === 'string' ? clip(value, most) : value])
  return (rows as readonly object[]).slice(0, most / 100).map(row => Object.fromEntries(texts(row)))
}
