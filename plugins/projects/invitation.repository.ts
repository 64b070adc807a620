import { allOf, DAY_MS, expressions, idIs, iso, sql, updateWhere, uuid } from 'tasuki/plugin'
import type { Condition, OwnedKey, RawBuilder, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import type { MemberRole } from './access.ts'
import { settings } from './settings.ts'

const invitation = expressions<{ i: 'projects.invitations' }>()

/** Returns the condition that the owner still sees the invitation `i`. */
const isPending = ({ now }: Pick<ReadContext, 'now'>): Condition =>
  allOf([invitation('i.withdrawn_at', 'is', null), invitation('i.expires_at', '>', now.toISOString())])

/** Returns the condition that the person with an email address can answer the invitation `i`. */
export const isOpen = (ctx: Pick<ReadContext, 'now'>, email: string | RawBuilder<string>): Condition =>
  allOf([
    invitation('i.email', '=', email),
    invitation('i.shown', '=', sql.lit(true)),
    invitation('i.declined_at', 'is', null),
    isPending(ctx),
  ])

/** The address that the owner of the invitation `i` entered. */
const invitedAs = invitation.fn.coalesce('i.invited_as', 'i.email')

/** An invitation as its owner sees it: the address, and nothing about its account. */
export type Pending = Pick<Row<'projects.invitations'>, 'email' | 'role'>

/** Reads the pending invitations to a project, by email. */
export async function readPending(ctx: ReadContext, { ownerId, id }: OwnedKey): Promise<readonly Pending[]> {
  return ctx.db
    .selectFrom('projects.invitations as i')
    .select(['i.role', invitedAs.as('email')])
    .where(({ and }) => and({ 'i.owner_id': ownerId, 'i.project_id': id }))
    .where(isPending(ctx))
    .orderBy('email')
    .execute()
}

/** An invitation as the invited person sees it. */
export interface Invitation {
  readonly id: string
  /** Email of the owner of the project. */
  readonly inviter: string
  readonly key: string
  readonly name: string
  readonly role: MemberRole
  /** ISO 8601 UTC. */
  readonly expiresAt: string
}

/** Reads the invitations that the person with an email address can answer, oldest first. */
export async function readInvitations(ctx: ReadContext, email: string): Promise<readonly Invitation[]> {
  const { rows } = await sql<Invitation>`
    select i.id, o.email as inviter, p.key, p.name, i.role, ${iso('i.expires_at')} as "expiresAt"
    from projects.invitations i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      join core.users o on o.id = i.owner_id
    where ${isOpen(ctx, email)} order by i.created_at, i.id limit ${ctx.config(settings).pending_invitations}
  `.execute(ctx.db)
  return rows
}

/** The state of an email address in a project, and the owner's invitation counts. */
export interface MemberState {
  readonly member: { readonly userId: string; readonly role: MemberRole } | null
  readonly invitation: { readonly id: string; readonly role: MemberRole } | null
  readonly isOwner: boolean
  /** Number of members and pending invitations of the project. */
  readonly people: number
  /** Number of the owner's invitations in the last 24 hours. */
  readonly invited: number
}

/** Serializes changes of the members of one owner, so that limits hold. */
export async function lockOwner(ctx: WriteContext, ownerId: string): Promise<void> {
  await ctx.db.selectFrom('projects.settings').select('owner_id').where('owner_id', '=', ownerId).forUpdate().execute()
}

/** Keeps an account from being deleted until the transaction ends. @returns false if it is deleted */
export async function keepAccount(ctx: WriteContext, id: string): Promise<boolean> {
  const row = await ctx.db.selectFrom('core.users').select('id').where('id', '=', id).forKeyShare().executeTakeFirst()
  return row !== undefined
}

/** Reads the state of an email address in a project, by the same statement whether or not it has an account. */
export async function readMemberState(ctx: WriteContext, { ownerId, id }: OwnedKey, email: string) {
  const pending = sql`from projects.invitations i
    where i.owner_id = ${ownerId} and i.project_id = ${id} and ${isPending(ctx)}`
  const { rows } = await sql<MemberState>`select
    (select json_build_object('userId', m.user_id, 'role', m.role) from projects.members m join core.users u on u.id = m.user_id
      where m.owner_id = ${ownerId} and m.project_id = ${id} and u.email = ${email}) as member,
    (select json_build_object('id', i.id, 'role', i.role) ${pending} and ${invitedAs} = ${email} limit 1) as invitation,
    exists (select from core.users u where u.id = ${ownerId} and u.email = ${email}) as "isOwner",
    (select count(*)::int from projects.members m where m.owner_id = ${ownerId} and m.project_id = ${id})
      + (select count(*)::int ${pending}) as people,
    (select count(*)::int from projects.invitations i
      where i.owner_id = ${ownerId} and i.created_at > ${daysBefore(ctx, 1)}) as invited
  `.execute(ctx.db)
  return rows[0]!
}

/** Inserts an invitation. It is hidden if the person has too many, or declined one from this owner. */
export async function insertInvitation(ctx: WriteContext, { ownerId, id }: OwnedKey, { email, role }: Pending) {
  const { invitation_days: days, pending_invitations: most, pending_from_one: fromOne } = ctx.config(settings)
  const open = ctx.db
    .selectFrom('projects.invitations as i')
    .select(({ fn }) => fn.countAll().as('count'))
    .where(isOpen(ctx, email))
  await sql`
    insert into projects.invitations (owner_id, id, project_id, email, role, created_at, expires_at, shown)
    select ${ownerId}, ${uuid()}, ${id}, ${email}, ${role}, ${ctx.now}::timestamptz, ${daysBefore(ctx, -days)}::timestamptz,
      ${open} < ${most} and ${open.where('i.owner_id', '=', ownerId)} < ${fromOne} and not exists (
        select from projects.declined_inviters d join core.users u on u.id = d.owner_id
        where u.email = ${email} and d.inviter_id = ${ownerId} and d.until > ${ctx.now})
  `.execute(ctx.db)
}

/** Changes the role of a pending invitation. @param role null withdraws it */
export async function updateInvitation(ctx: WriteContext, ownerId: string, id: string, role: MemberRole | null) {
  await updateWhere(
    ctx.db,
    'projects.invitations',
    { owner_id: ownerId, id },
    role === null ? { withdrawn_at: ctx.now } : { role },
  )
}

/** An accepted invitation. */
export type Accepted = OwnedKey & Pick<Invitation, 'key' | 'name' | 'role'>

/** Deletes and returns an open invitation to an email address. @param id any text */
export async function takeInvitation(ctx: WriteContext, email: string, id: string): Promise<Accepted | undefined> {
  const { rows } = await sql<Accepted>`
    delete from projects.invitations i using projects.projects p
    where p.owner_id = i.owner_id and p.id = i.project_id and ${idIs('i.id', id)} and ${isOpen(ctx, email)}
    returning i.owner_id as "ownerId", i.project_id as id, p.key, p.name, i.role
  `.execute(ctx.db)
  return rows[0]
}

/**
 * Declines all open invitations of the owner of the given one, and blocks further ones for a while.
 * @returns false if there is no such invitation
 */
export async function blockInviter(
  ctx: WriteContext,
  { id: userId, email }: { readonly id: string; readonly email: string },
  id: string,
): Promise<boolean> {
  const until = daysBefore(ctx, -ctx.config(settings).declined_days)
  const { rows } = await sql`
    with declined as (
      update projects.invitations i set declined_at = ${ctx.now} where ${isOpen(ctx, email)} and i.owner_id in (
        select i.owner_id from projects.invitations i where i.id::text = ${id} and ${isOpen(ctx, email)})
      returning i.owner_id)
    insert into projects.declined_inviters (owner_id, inviter_id, until)
    select distinct ${userId}::uuid, owner_id, ${until}::timestamptz from declined
    on conflict (owner_id, inviter_id) do update set until = excluded.until returning inviter_id
  `.execute(ctx.db)
  return rows.length > 0
}

export type DeclinedInviter = Awaited<ReturnType<typeof readDeclined>>[number]

/** Reads the owners whom a user declined, the earliest to expire first. */
export async function readDeclined(ctx: ReadContext, userId: string) {
  return ctx.db
    .selectFrom('projects.declined_inviters as d')
    .innerJoin('core.users as u', 'u.id', 'd.inviter_id')
    .select(['u.email', iso('d.until').as('until')])
    .where('d.owner_id', '=', userId)
    .where('d.until', '>', ctx.now.toISOString())
    .orderBy('d.until')
    .orderBy('u.email')
    .limit(100)
    .execute()
}

/** Unblocks the invitations of an owner to a user. */
export async function unblockInviter(ctx: WriteContext, userId: string, email: string): Promise<void> {
  await ctx.db
    .deleteFrom('projects.declined_inviters')
    .where('owner_id', '=', userId)
    .where('inviter_id', 'in', ({ selectFrom }) => selectFrom('core.users').select('id').where('email', '=', email))
    .execute()
}

/** Deletes expired and withdrawn invitations once they no longer count towards the owner's limit (one day), and expired declines. */
export async function deleteEnded(ctx: WriteContext): Promise<void> {
  await ctx.db
    .deleteFrom('projects.invitations')
    .where('created_at', '<', daysBefore(ctx, 1))
    .where(({ eb, or }) => or([eb('expires_at', '<=', daysBefore(ctx, 0)), eb('withdrawn_at', 'is not', null)]))
    .execute()
  await ctx.db.deleteFrom('projects.declined_inviters').where('until', '<', daysBefore(ctx, 0)).execute()
}

function daysBefore({ now }: Pick<ReadContext, 'now'>, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString()
}

/**
 * Moves a user's invitations to their new email address, which their owners do not learn. Existing invitations to that address are hidden
 * unless the address is verified: anyone could choose the address of an invited person.
 */
export async function moveInvitations(
  { db }: WriteContext,
  { former, email, vouched }: { readonly former: string; readonly email: string; readonly vouched: boolean },
): Promise<void> {
  if (!vouched) await updateWhere(db, 'projects.invitations', { email }, { shown: false })
  await db
    .updateTable('projects.invitations as i')
    .set({ email, invited_as: invitedAs })
    .where('i.email', '=', former)
    .execute()
}
