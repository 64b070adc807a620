import { sql, updateWhere, type OwnedKey, type ReadContext, type Row, type WriteContext } from 'tasuki/plugin'
import type { MemberRole } from './access.ts'
import { storedKeyFor } from './visibility.repository.ts'

export type Member = Pick<Row<'core.users'>, 'email' | 'name'> & Pick<Row<'projects.members'>, 'role'>

/** Reads the members of a project, by email. */
export function readMembers(ctx: ReadContext, { ownerId, id }: OwnedKey): Promise<readonly Member[]> {
  return ctx.db
    .selectFrom('projects.members as m')
    .innerJoin('core.users as u', 'u.id', 'm.user_id')
    .select(['u.email', 'u.name', 'm.role'])
    .where(({ and }) => and({ 'm.owner_id': ownerId, 'm.project_id': id }))
    .orderBy('u.email')
    .execute()
}

/** A user who may see a project, with the project's key in texts stored for that user. */
export interface Reader extends Pick<Row<'core.users'>, 'id' | 'name' | 'email'> {
  readonly key: string
}

/** Reads the owner and the members of a project, except the caller. */
export async function readOthers(ctx: ReadContext, { ownerId, id }: OwnedKey): Promise<readonly Reader[]> {
  const { rows } = await sql<Reader>`
    select u.id, u.name, u.email, ${storedKeyFor(sql.ref('u.id'))} as key
    from core.users u join projects.projects p on p.owner_id = ${ownerId} and p.id = ${id}
    where u.id <> ${ctx.actor.userId} and (u.id = ${ownerId} or u.id in (
      select m.user_id from projects.members m where m.owner_id = ${ownerId} and m.project_id = ${id}))
  `.execute(ctx.db)
  return rows
}

/** Inserts a member. @param most maximum number of memberships of the user @returns false if the user has reached it */
export async function insertMember(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  userId: string,
  { role, most }: { readonly role: MemberRole; readonly most: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into projects.members (owner_id, project_id, user_id, role, created_at)
    select ${ownerId}, ${id}, ${userId}, ${role}, ${ctx.now}::timestamptz
    where (select count(*) from projects.members m where m.user_id = ${userId}) < ${most}
    on conflict (owner_id, project_id, user_id) do update set role = excluded.role returning user_id
  `.execute(ctx.db)
  return rows.length > 0
}

/** Changes the role of a member. */
export async function updateMember(ctx: WriteContext, { ownerId, id }: OwnedKey, userId: string, role: MemberRole) {
  await updateWhere(ctx.db, 'projects.members', { owner_id: ownerId, project_id: id, user_id: userId }, { role })
}

/** Removes a member. @returns false if the user was not a member */
export async function deleteMember(ctx: WriteContext, { ownerId, id }: OwnedKey, userId: string): Promise<boolean> {
  const rows = await ctx.db
    .deleteFrom('projects.members')
    .where(({ and }) => and({ owner_id: ownerId, project_id: id, user_id: userId }))
    .returning('user_id')
    .execute()
  return rows.length > 0
}

/** Finds the ids of the members of all projects of an owner. */
export async function findMembersOf({ db }: ReadContext, ownerId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('projects.members')
    .select('user_id')
    .distinct()
    .where('owner_id', '=', ownerId)
    .execute()
  return rows.map(row => row.user_id)
}
