import { compare, exists, expressions, isFreeName, iso, nameKey, nextUpdate, sql, uuid } from 'tasuki/plugin'
import type { AliasableExpression, Condition, OwnedKey, ReadContext, WriteContext } from 'tasuki/plugin'
import { readId } from './state.ts'
import { projectWorkflow, workflowVisible } from './visibility.repository.ts'

export interface WorkflowRow extends OwnedKey {
  readonly name: string
  readonly isSystem: boolean
  readonly enforceTransitions: boolean
  readonly updatedAt: string
}
const COLUMNS = [
  'owner_id as ownerId',
  'id',
  'name',
  'is_system as isSystem',
  'enforce_transitions as enforceTransitions',
] as const
const updatedAt = (table: 'w' | 'workflows') => iso(`${table}.updated_at`).as('updatedAt')

const workflow = expressions<{ w: 'workflows.workflows' }>()

/** Returns the SQL of whether projects outside the credential's scope use the workflow `w`. */
function isUsedElsewhere(ctx: ReadContext): AliasableExpression<boolean> {
  const { projects } = ctx.actor
  if (projects === null || projects.length === 0) return sql.lit(false)
  const others = ctx.db
    .selectFrom('projects.projects as bp')
    .where(compare('bp.owner_id', '=', sql.ref('w.owner_id')))
    .where('bp.id', 'not in', projects)
    .where(compare(projectWorkflow('bp'), '=', sql.ref('w.id')))
  return exists(others)
}

/** Returns the condition for a workflow by id, or by exact name among those of an owner. */
function isNamed(ownerId: string, text: string): Condition {
  const id = readId(text)
  return id === null ? workflow.and({ 'w.owner_id': ownerId, 'w.name_key': nameKey(text) }) : workflow('w.id', '=', id)
}

/** Finds a workflow that the caller may see by id, or an own one by name. `beyond`: projects outside the credential's scope use it too. */
export function findWorkflow(ctx: ReadContext, text: string, lock: boolean) {
  return ctx.db
    .selectFrom('workflows.workflows as w')
    .select([...COLUMNS, updatedAt('w'), isUsedElsewhere(ctx).as('beyond')])
    .where(isNamed(ctx.actor.userId, text))
    .where(workflowVisible(ctx))
    .$if(lock, query => query.forUpdate('w'))
    .executeTakeFirst()
}

/** Finds a workflow of an owner by id or name. */
export function findOwnWorkflow(ctx: ReadContext, ownerId: string, text: string): Promise<WorkflowRow | undefined> {
  return ctx.db
    .selectFrom('workflows.workflows as w')
    .select([...COLUMNS, updatedAt('w')])
    .where('w.owner_id', '=', ownerId)
    .where(isNamed(ownerId, text))
    .executeTakeFirst()
}

/** Reads the names of workflows that the caller may edit. */
export async function readOwnNames(ctx: ReadContext, limit: number): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('workflows.workflows as w')
    .select('w.name')
    .where(({ and }) => and({ 'w.owner_id': ctx.actor.userId, 'w.is_system': sql.lit(false) }))
    .where(workflowVisible(ctx))
    .orderBy('w.name_key')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** Inserts a workflow. @returns undefined if the name exists */
export function insertWorkflow(ctx: WriteContext, ownerId: string, name: string): Promise<WorkflowRow | undefined> {
  return ctx.db
    .insertInto('workflows.workflows')
    .values({
      owner_id: ownerId,
      id: uuid(),
      name,
      name_key: nameKey(name),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .onConflict(conflict => conflict.columns(['owner_id', 'name_key']).doNothing())
    .returning([...COLUMNS, updatedAt('workflows')])
    .executeTakeFirst()
}

/** Updates name and enforcement. @returns undefined if the name exists */
export function updateWorkflowRow(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  { name, enforceTransitions }: Pick<WorkflowRow, 'name' | 'enforceTransitions'>,
): Promise<WorkflowRow | undefined> {
  return ctx.db
    .updateTable('workflows.workflows as w')
    .set({
      name,
      name_key: nameKey(name),
      enforce_transitions: enforceTransitions,
      updated_at: nextUpdate(ctx, 'w.updated_at'),
    })
    .where(({ and }) => and({ 'w.owner_id': ownerId, 'w.id': id }))
    .where(isFreeName('workflows.workflows', 'w', ['owner_id'], nameKey(name)))
    .returning([...COLUMNS, updatedAt('w')])
    .executeTakeFirst()
}

/** Updates the time of a workflow's last change. */
export async function touchWorkflow(ctx: WriteContext, workflow: OwnedKey): Promise<void> {
  await touch(ctx.db, ctx, workflow).execute()
}

function touch(db: Pick<WriteContext['db'], 'updateTable'>, { now }: WriteContext, { ownerId, id }: OwnedKey) {
  return db
    .updateTable('workflows.workflows')
    .set({ updated_at: now })
    .where(({ and }) => and({ owner_id: ownerId, id }))
}

/** Begins a statement that also updates the time of a workflow's last change. */
export function withTouch(ctx: WriteContext, workflow: OwnedKey) {
  return ctx.db.with('touched', db => touch(db, ctx, workflow))
}

/**
 * Locks workflows of an owner for changes of their uses. The rows are rewritten unchanged, so that a statement that waited for the lock
 * detects that its earlier reads are out of date.
 */
export async function lockWorkflows(ctx: WriteContext, ownerId: string, ids: readonly string[]): Promise<void> {
  await ctx.db
    .selectFrom('workflows.workflows')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await ctx.db
    .updateTable('workflows.workflows')
    .set(({ ref }) => ({ name: ref('name') }))
    .where('owner_id', '=', ownerId)
    .where('id', 'in', ids)
    .execute()
}

/** Reads all workflows, or those of the user with an email address, for a table on the command line. */
export async function readWorkflowTable(ctx: ReadContext, email: string | undefined) {
  const { rows } = await sql<Record<string, unknown>>`
    select w.name, u.email as owner, case when w.is_system then 'yes' else 'no' end as system,
      case when w.enforce_transitions then 'on' else 'off' end as enforce,
      (select string_agg(s.name, ', ' order by s.display_order) from workflows.states s
        where s.owner_id = w.owner_id and s.workflow_id = w.id and s.archived_at is null) as states,
      (select string_agg(p.key, ', ' order by p.is_inbox desc, p.key) from projects.projects p
        where p.owner_id = w.owner_id and ${projectWorkflow('p')} = w.id) as projects,
      w.id
    from workflows.workflows w join core.users u on u.id = w.owner_id
    where ${email === undefined ? sql.lit(true) : compare('u.email', '=', email.toLowerCase())} order by u.email, w.is_system desc, w.name_key
  `.execute(ctx.db)
  return rows
}
