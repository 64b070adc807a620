import type { ReadContext } from 'tasuki/plugin'
import { itemRefs } from '../items/points.ts'
import type { WebhookLink } from './link.repository.ts'
import { readNumbered, type NumberedItem } from './reference.repository.ts'

/** Maximum number of names per statement. */
const NAMES_PER_STATEMENT = 200
export interface Mentioned extends Omit<NumberedItem, 'matched'> {
  /** The texts that mention the item, upper case. */
  readonly names: readonly string[]
}

/** Finds the items of a project that the names refer to, in one statement per 200 names. */
export async function findMentioned(
  ctx: ReadContext,
  project: Pick<WebhookLink, 'ownerId' | 'projectId'>,
  names: readonly string[],
): Promise<readonly Mentioned[]> {
  const found = []
  for (let at = 0; at < names.length; at += NAMES_PER_STATEMENT)
    found.push(...(await findNamed(ctx, project, names.slice(at, at + NAMES_PER_STATEMENT))))
  return found
}

async function findNamed(
  ctx: ReadContext,
  project: Pick<WebhookLink, 'ownerId' | 'projectId'>,
  names: readonly string[],
): Promise<readonly Mentioned[]> {
  const numbered = names.filter(name => name.includes('#'))
  const forms = ctx.all(itemRefs)
  const display = names.flatMap(name => {
    const form = name.includes('#') ? undefined : forms.find(each => each.matches(name))
    return form ? [{ name, condition: form.sql(ctx, name) }] : []
  })
  if (numbered.length === 0 && display.length === 0) return []
  const numbers = new Set(numbered.map(name => Number(name.slice(name.indexOf('#') + 1))))
  const conditions = display.map(({ condition }) => condition)
  const rows = await readNumbered(ctx, project, [...numbers], conditions)
  return rows.flatMap(({ matched, ...item }) => {
    const found = [
      ...(numbered.includes(item.ref) ? [item.ref] : []),
      ...display.filter((_each, n) => matched[n]).map(({ name }) => name),
    ]
    return found.length > 0 ? [{ ...item, names: found }] : []
  })
}
