import { normalizeText } from 'tasuki/plugin'
import type { ReadContext } from 'tasuki/plugin'
import { itemRefs } from '../items/points.ts'
import type { CodeChange } from './hosts/delivery.ts'
import type { WebhookLink } from './link.repository.ts'
import { readNumbered, type NumberedItem } from './reference.repository.ts'

/** Maximum number of mentions in one change; release notes mention hundreds. */
const MAX_MENTIONS = 1000
/** Maximum number of names per statement. */
const NAMES_PER_STATEMENT = 200
/** `KEY#12`, and further references after a slash. A bare `#12` is an issue of the host, `acme/app#12` an issue of a repository. */
const NUMBERED = /(?:(?<![\w#/.-])|(?<=\w#\d{1,9}\/))([A-Za-z]\w{0,15}#\d{1,9})(?!\w)/g
/** `PREFIX-12`, which counts only if a numbering series has that prefix; names of branches continue with words. */
const DISPLAY = /(?<![\w#.-])([A-Za-z]\w{0,15}-\d{1,9})(?![A-Za-z0-9]|-\d)/g
/** Both forms in the name of a branch, where `/`, `-`, `_` and `.` separate them from other words. */
const IN_BRANCH = /(?<![A-Za-z0-9#])(?=([A-Za-z]\w{0,15}[#-]\d{1,9})(?![A-Za-z0-9]))/g

export interface Mentioned extends Omit<NumberedItem, 'matched'> {
  /** The texts that mention the item, upper case. */
  readonly names: readonly string[]
}

/** Returns the texts in a change that may name items, upper case. */
export function findNames({ texts, branch }: Pick<CodeChange, 'texts' | 'branch'>): string[] {
  const found = new Set<string>()
  for (const [, name] of matchNames(branch ?? '', texts.join('\n'))) {
    if (found.size >= MAX_MENTIONS) break
    found.add(name!.toUpperCase())
  }
  return [...found]
}

function* matchNames(branch: string, text: string): Generator<RegExpExecArray> {
  yield* normalizeText(branch).matchAll(IN_BRANCH)
  const plain = normalizeText(text)
  yield* plain.matchAll(NUMBERED)
  yield* plain.matchAll(DISPLAY)
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
