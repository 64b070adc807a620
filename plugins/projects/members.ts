import { sql, type ReadContext } from 'tasuki/plugin'
import type { ProjectRow } from './find.ts'

export interface Member {
  readonly email: string
  readonly name: string
  readonly role: 'editor' | 'viewer'
}

/** Reads who a project is shared with, by address. */
export async function readMembers(
  ctx: ReadContext,
  { ownerId, id }: Pick<ProjectRow, 'ownerId' | 'id'>,
): Promise<readonly Member[]> {
  const { rows } = await sql<Member>`
    select u.email, u.name, m.role from projects.members m join core.users u on u.id = m.user_id
    where m.owner_id = ${ownerId} and m.project_id = ${id} order by u.email
  `.execute(ctx.db)
  return rows
}
