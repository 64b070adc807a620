import { sql, type WriteContext } from 'tasuki/plugin'
import { keyKeptFor } from '../projects/index.ts'
import { notify } from '../workspace/index.ts'
import type { FoundDiscussion } from './discussion.ts'

/** Tells those whom a text names (`@name`, `@address`) and who may see the item; those whom an earlier text named already are not told again. */
export async function notifyMentioned(
  ctx: WriteContext,
  found: Omit<FoundDiscussion, 'discussion' | 'authorId'>,
  text: string,
  before = '',
): Promise<void> {
  if (!text.includes('@') && !text.includes('＠')) return
  const { ownerId, item, project } = found
  const { rows } = await sql<{ id: string; name: string; email: string; key: string }>`
    select u.id, u.name, u.email, ${keyKeptFor('p', sql`u.id`)} as key
    from core.users u join projects.projects p on p.owner_id = ${ownerId} and p.id = ${project.id}
    where u.id <> ${ctx.actor.userId} and (u.id = ${ownerId} or exists (
      select from projects.members m where m.owner_id = ${ownerId} and m.project_id = ${project.id} and m.user_id = u.id))
  `.execute(ctx.db)
  const named = (words: string, user: { name: string; email: string }): boolean =>
    [user.name, user.email].some(name => mentions(words, name))
  const told = rows.filter(user => named(text, user) && !named(before, user))
  const number = item.ref.slice(item.ref.lastIndexOf('#'))
  await notify(
    ctx,
    told.map(user => ({
      userId: user.id,
      kind: 'discussion.mention',
      title: `You were mentioned on ${user.key}${number} ${item.title}`,
      body: text,
      item: { ownerId, id: item.id },
    })),
  )
}

/** Whether a text has `@name`, not followed by more of a word. */
export function mentions(text: string, name: string): boolean {
  const words = text.normalize('NFKC').toLowerCase()
  const wanted = `@${name.normalize('NFKC').toLowerCase()}`
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    const next = words.slice(at + wanted.length, at + wanted.length + 1)
    const before = words.slice(Math.max(at - 1, 0), at)
    // Japanese has no spaces: after a name in Latin script its letters end the word.
    if (!/[a-z0-9_@-]/.test(next) && !/[a-z0-9_.]/.test(before)) return true
  }
  return false
}
