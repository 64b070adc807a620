import type { ReadContext } from 'tasuki/plugin'
import { itemRefs } from '../items/points.ts'
import type { CodeChange } from './hosts/delivery.ts'
import type { WebhookLink } from './link.repository.ts'
import { readNumbered, type NumberedItem } from './reference.repository.ts'

/** Mentions that one change may carry. */
const MOST_MENTIONS = 50
/** `KEY#12`; a bare `#12` means an issue of the host itself. */
const NUMBERED = /(?<![\w#/.-])([A-Za-z][A-Za-z0-9_]{0,15})#(\d{1,9})(?!\w)/g
/** `PREFIX-12`, which only counts where a numbering series has that prefix. */
const DISPLAY = /(?<![\w#.-])([A-Za-z][A-Za-z0-9_]{0,15})-(\d{1,9})(?![\w-])/g

export interface Mentioned extends Omit<NumberedItem, 'refs' | 'matched'> {
  /** Texts by which it was mentioned, upper case. */
  readonly names: readonly string[]
}

/** The texts in a change that may name items, upper case. */
export function namesIn({ texts }: Pick<CodeChange, 'texts'>): string[] {
  const all = texts.join('\n').normalize('NFKC')
  const found = [...all.matchAll(NUMBERED), ...all.matchAll(DISPLAY)].map(match => match[0].toUpperCase())
  return [...new Set(found)].slice(0, MOST_MENTIONS)
}

/** Finds the items of a project that texts name, in one statement. */
export async function findMentioned(
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
  // An item is still mentioned by the references that it had in other projects.
  return rows.flatMap(({ refs, matched, ...item }) => {
    const found = [
      ...refs.filter(ref => numbered.includes(ref)),
      ...display.filter((_each, n) => matched[n]).map(({ name }) => name),
    ]
    return found.length > 0 ? [{ ...item, names: found }] : []
  })
}
