import { allOf, compare, contains, fixedPlan, insertRecords, noSql, sql, uuid } from 'tasuki/plugin'
import type {
  AliasedExpression,
  Condition,
  Expression,
  OwnedKey,
  RawBuilder,
  ReadContext,
  Row,
  RowChanges,
  User,
  WriteContext,
} from 'tasuki/plugin'
import { keyIsOwn } from './access.ts'
import { INBOX, readKey } from './key.ts'
import { isOwnedBy, keyColumn, visible } from './visibility.repository.ts'

type Columns = Readonly<Row<'projects.projects'>>

/** A project with the columns that tools need. */
export interface ProjectRow extends Pick<Columns, 'id' | 'name' | 'description'> {
  readonly ownerId: string
  /** The caller's name of the project: `KEY`, or `owner@example.com/KEY` if `KEY` names another project. Store `bareKey` instead. */
  readonly key: string
  readonly isInbox: boolean
  readonly estimateUnit: Columns['estimate_unit']
  readonly features: Readonly<Record<string, boolean>>
  readonly archived: boolean
}

/** Columns of `ProjectRow`, from a table alias. */
export const projectColumns = (ctx: ReadContext, alias: string): RawBuilder<ProjectRow> =>
  sql`${keyColumn(ctx, alias)} as key, ${sql.raw(
    `${alias}.owner_id as "ownerId", ${alias}.id, ${alias}.name, ${alias}.description, ${alias}.is_inbox as "isInbox", ` +
      `${alias}.estimate_unit as "estimateUnit", ${alias}.features, ${alias}.archived_at is not null as archived`,
  )}`

/**
 * Returns the condition on the projects table for a key from a caller, in any case and width. A bare key names the caller's own project, or
 * shared ones if the caller owns none with that key; `owner@example.com/KEY` names the project of that owner.
 */
export function keyIs(ctx: ReadContext, text: string, alias = 'p'): Condition {
  const { key, owner } = readKey(text)
  const conditions = [visible(ctx, alias, 'id'), compare(`${alias}.key`, '=', key)]
  if (owner !== null) conditions.push(isOwnedBy(`${alias}.owner_id`, owner))
  else if (keyIsOwn(ctx, key)) conditions.push(compare(`${alias}.owner_id`, '=', ctx.actor.userId))
  return allOf(conditions)
}

/** Additions to a read of a project `p`. */
export interface ProjectReading {
  readonly joins?: Expression<unknown>
  /** Locks the row until the transaction ends: `no key update` for changes of its records, `update` for changes of the row itself. */
  readonly lock?: 'no key update' | 'update' | undefined
}

/** Finds the projects that a key may name; two rows suffice to detect ambiguity. @param columns select list over `p` */
export async function findProjects<T extends object>(
  ctx: ReadContext,
  key: string,
  columns?: Expression<unknown> | AliasedExpression<unknown, string>,
  { joins = noSql, lock }: ProjectReading = {},
): Promise<readonly (ProjectRow & T)[]> {
  const { rows } = await sql<ProjectRow & T>`
    select ${sql.join([projectColumns(ctx, 'p'), ...(columns ? [columns] : [])])} ${columns ? noSql : fixedPlan} from projects.projects p ${joins}
    where ${keyIs(ctx, key)} limit 2 ${lock ? sql.raw(`for ${lock} of p`) : noSql}
  `.execute(ctx.db)
  return rows
}

/** Finds the project with a key among those of one owner. */
export async function findProjectOf(ctx: ReadContext, ownerId: string, key: string): Promise<ProjectRow | undefined> {
  const { rows } = await sql<ProjectRow>`
    select ${projectColumns(ctx, 'p')} from projects.projects p where p.owner_id = ${ownerId} and p.key = ${key}
  `.execute(ctx.db)
  return rows[0]
}

/** A project that the caller may see, with the email of its owner. */
export interface ListedProject extends ProjectRow {
  readonly owner: string
}

/** Reads every project that the caller may see, including archived ones: the Inbox first, then own projects, then shared ones. */
export async function readProjects(ctx: ReadContext): Promise<readonly ListedProject[]> {
  const { rows } = await sql<ListedProject>`
    select ${projectColumns(ctx, 'p')}, u.email as owner from projects.projects p join core.users u on u.id = p.owner_id
    where ${visible(ctx, 'p', 'id')} order by p.owner_id <> ${ctx.actor.userId}, p.is_inbox desc, p.key, u.email
  `.execute(ctx.db)
  return rows
}

/** Reads the keys of the first projects that the caller may see, own projects first. */
export function readVisibleKeys(ctx: ReadContext) {
  return ctx.db
    .selectFrom('projects.projects as p')
    .select(['p.owner_id as ownerId', 'p.key'])
    .where(visible(ctx, 'p', 'id'))
    .where('p.archived_at', 'is', null)
    .orderBy(({ eb }) => eb('p.owner_id', '<>', ctx.actor.userId))
    .orderBy('p.is_inbox', 'desc')
    .orderBy('p.key')
    .limit(20)
    .execute()
}

/** Finds project keys by prefix or by words of the name, own projects first. */
export async function findMatchingKeys(ctx: ReadContext, text: string, most: number): Promise<readonly string[]> {
  const rows = await ctx.db
    .selectFrom('projects.projects as p')
    .select(keyColumn(ctx, 'p').as('key'))
    .where(visible(ctx, 'p', 'id'))
    .where('p.archived_at', 'is', null)
    .where(({ eb, fn, or, val }) =>
      or([fn<boolean>('starts_with', ['p.key', val(text.toUpperCase())]), eb('p.name', 'ilike', contains(text))]),
    )
    .orderBy(({ eb }) => eb('p.owner_id', '<>', ctx.actor.userId))
    .orderBy('p.key')
    .limit(sql.lit(most))
    .execute()
  return rows.map(({ key }) => key)
}

/** Lists the projects of all users, or of the user with an email address, for the command line. */
export function listProjectsOf(ctx: ReadContext, email: string | undefined): Promise<Record<string, unknown>[]> {
  return ctx.db
    .selectFrom('projects.projects as p')
    .innerJoin('core.users as u', 'u.id', 'p.owner_id')
    .select(['p.key', 'p.name', 'u.email as owner', 'p.archived_at as archived'])
    .$if(email !== undefined, query => query.where('u.email', '=', email!.toLowerCase()))
    .orderBy('u.email')
    .orderBy('p.is_inbox', 'desc')
    .orderBy('p.key')
    .execute()
}

/** Inserts a project. @param most maximum number of projects of the owner @returns `taken` if the owner has a project with that key */
export async function insertProject(
  ctx: WriteContext,
  { ownerId, id, key, name, description }: Pick<ProjectRow, 'ownerId' | 'id' | 'key' | 'name' | 'description'>,
  most: number,
): Promise<'added' | 'taken' | 'full'> {
  const { rows } = await sql<{ outcome: 'added' | 'taken' | 'full' }>`
    with room as (select count(*) < ${most} as left from projects.projects p where p.owner_id = ${ownerId}), added as (
      insert into projects.projects (owner_id, id, key, name, description, created_at, updated_at)
      select ${ownerId}::uuid, ${id}::uuid, ${key}::text, ${name}::text, ${description}::text, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
      from room where room.left on conflict (owner_id, key) do nothing returning id)
    select case when exists (select from added) then 'added' when room.left then 'taken' else 'full' end as outcome from room
  `.execute(ctx.db)
  return rows[0]!.outcome
}

type ProjectChanges = Pick<RowChanges<'projects.projects'>, 'name' | 'description' | 'estimate_unit'> & {
  readonly archived?: boolean | undefined
}

/** Updates the given columns of a project; an archived project keeps its time. */
export function updateProjectRow(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  { archived, ...columns }: ProjectChanges,
): Promise<Pick<Columns, 'name' | 'description' | 'estimate_unit' | 'archived_at'> | undefined> {
  return ctx.db
    .updateTable('projects.projects')
    .set(({ fn, ref, val }) => ({
      updated_at: ctx.now,
      ...columns,
      ...(archived !== undefined && {
        archived_at: archived ? fn.coalesce(ref('archived_at'), val(ctx.now.toISOString())) : null,
      }),
    }))
    .where(({ and }) => and({ owner_id: ownerId, id }))
    .returning(['name', 'description', 'estimate_unit', 'archived_at'])
    .executeTakeFirst()
}

/** Finds the users without an Inbox. */
export function findUsersWithoutInbox(ctx: ReadContext): Promise<readonly Pick<User, 'id'>[]> {
  return ctx.db
    .selectFrom('core.users as u')
    .select('u.id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('projects.projects as p').whereRef('p.owner_id', '=', 'u.id').where('p.is_inbox', '=', true)),
      ),
    )
    .execute()
}

/** Creates the missing Inboxes and settings of users, possibly none. */
export async function insertInboxes(ctx: WriteContext, users: readonly Pick<User, 'id'>[]): Promise<void> {
  if (users.length === 0) return
  const inboxes = users.map(({ id }) => ({
    owner_id: id,
    id: uuid(),
    key: INBOX,
    name: 'Inbox',
    is_inbox: true,
    created_at: ctx.now,
    updated_at: ctx.now,
  }))
  await insertRecords(ctx.db, 'projects.projects', inboxes)
    .onConflict(conflict => conflict.columns(['owner_id', 'key']).doNothing())
    .execute()
  const settings = users.map(({ id }) => ({ owner_id: id }))
  await insertRecords(ctx.db, 'projects.settings', settings)
    .onConflict(conflict => conflict.column('owner_id').doNothing())
    .execute()
}
