import type { ReadContext, Row, WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from './project.repository.ts'

type ProjectKey = Pick<ProjectRow, 'ownerId' | 'id'>

export type Member = Pick<Row<'core.users'>, 'email' | 'name'> & Pick<Row<'projects.members'>, 'role'>

/** Reads who a project is shared with, by address. */
export function readMembers(ctx: ReadContext, { ownerId, id }: ProjectKey): Promise<readonly Member[]> {
  return ctx.db
    .selectFrom('projects.members as m')
    .innerJoin('core.users as u', 'u.id', 'm.user_id')
    .select(['u.email', 'u.name', 'm.role'])
    .where('m.owner_id', '=', ownerId)
    .where('m.project_id', '=', id)
    .orderBy('u.email')
    .execute()
}

/** Finds the id of the user of an address, which is lower case. */
export async function findUserId(ctx: ReadContext, email: string): Promise<string | undefined> {
  const user = await ctx.db.selectFrom('core.users').select('id').where('email', '=', email).executeTakeFirst()
  return user?.id
}

/** Adds a member, or changes the role. @returns false when nothing changed */
export async function saveMember(
  ctx: WriteContext,
  { ownerId, id }: ProjectKey,
  userId: string,
  role: Member['role'],
): Promise<boolean> {
  const rows = await ctx.db
    .insertInto('projects.members')
    .values({ owner_id: ownerId, project_id: id, user_id: userId, role, created_at: ctx.now })
    .onConflict(conflict =>
      conflict
        .columns(['owner_id', 'project_id', 'user_id'])
        .doUpdateSet(({ ref }) => ({ role: ref('excluded.role') }))
        .whereRef('projects.members.role', '<>', 'excluded.role'),
    )
    .returning('user_id')
    .execute()
  return rows.length > 0
}

/** Removes a member. @returns false when the user was none */
export async function deleteMember(ctx: WriteContext, { ownerId, id }: ProjectKey, userId: string): Promise<boolean> {
  const rows = await ctx.db
    .deleteFrom('projects.members')
    .where('owner_id', '=', ownerId)
    .where('project_id', '=', id)
    .where('user_id', '=', userId)
    .returning('user_id')
    .execute()
  return rows.length > 0
}
