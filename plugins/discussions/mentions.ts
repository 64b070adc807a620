import { normalizeText, quoteName, type WriteContext } from 'tasuki/plugin'
import type { ItemOfRow } from '../items/index.ts'
import { readOthers, type Reader } from '../projects/index.ts'
import { notify } from '../workspace/index.ts'

/**
 * Notifies the members that a text mentions by `@name` or `@address`, or by the start of one that no other member shares.
 * @param before the former text; users mentioned in it are not notified again
 */
export async function notifyMentioned(
  ctx: WriteContext,
  { ownerId, item, project }: ItemOfRow,
  text: string,
  before = '',
): Promise<void> {
  if (!text.includes('@') && !text.includes('＠')) return
  const others = await readOthers(ctx, project)
  const forms = new Map(others.map(user => [user, formsOf(user)]))
  const isShared = (form: string, user: Reader): boolean =>
    others.some(other => other !== user && forms.get(other)!.includes(form))
  const isMentioned = (words: string, user: Reader): boolean =>
    forms.get(user)!.some((form, n) => hasMention(words, form) && (n < 2 || !isShared(form, user)))
  const [now, then] = [fold(text), fold(before)]
  const mentioned = others.filter(user => isMentioned(now, user) && !isMentioned(then, user))
  const number = item.ref.slice(item.ref.lastIndexOf('#'))
  await notify(
    ctx,
    mentioned.map(user => ({
      userId: user.id,
      kind: 'discussion.mention',
      title: `You were mentioned on ${user.key}${number} ${quoteName(item.title)}`,
      body: text,
      item: { ownerId, id: item.id },
    })),
  )
}

/** Returns name and address of a user, and what people shorten them to: the first name, and the address without its domain. */
function formsOf({ name, email }: Reader): string[] {
  return [name, email, name.split(/\s/)[0]!, email.split('@')[0]!].map(fold)
}

const fold = (text: string): string => normalizeText(text).toLowerCase()

/** Returns whether a text contains `@name` as a whole word; an empty name is in no text. */
export function mentions(text: string, name: string): boolean {
  return hasMention(fold(text), fold(name))
}

/** As `mentions`, of folded texts: a long one is folded once for all members. */
function hasMention(words: string, name: string): boolean {
  if (name === '') return false
  const wanted = `@${name}`
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    const next = words.slice(at + wanted.length, at + wanted.length + 2)
    const before = words.slice(Math.max(at - 1, 0), at)
    // Japanese has no spaces: a Japanese character ends a name in Latin script.
    if (!/^[.]?[a-z0-9_@-]/.test(next) && !/[a-z0-9_.]/.test(before)) return true
  }
  return false
}
