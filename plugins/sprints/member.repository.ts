import { sql, type ReadContext } from 'tasuki/plugin'
import { keyKeptFor, type ProjectRow } from '../projects/index.ts'

/** Reads the owner and the members of a project, except the caller, each with the key by which they know the project. */
export async function readOthers(
  ctx: ReadContext,
  { ownerId, id }: Pick<ProjectRow, 'ownerId' | 'id'>,
): Promise<readonly { readonly id: string; readonly key: string }[]> {
  const { rows } = await sql<{ id: string; key: string }>`
    select u.id, ${keyKeptFor('p', sql`u.id`)} as key
    from core.users u join projects.projects p on p.owner_id = ${ownerId} and p.id = ${id}
    where u.id <> ${ctx.actor.userId} and (u.id = ${ownerId} or u.id in (
      select m.user_id from projects.members m where m.owner_id = ${ownerId} and m.project_id = ${id}))
  `.execute(ctx.db)
  return rows
}
