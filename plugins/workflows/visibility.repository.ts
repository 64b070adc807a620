import { allOf, anyOf, compare, exists, sql, type Condition, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { access, visible } from '../projects/index.ts'

/** Returns the SQL of a project's workflow id: its own, else the system workflow of its owner. */
export function projectWorkflow(alias: string): RawBuilder<string> {
  return sql.raw(`coalesce(
    (select pw.workflow_id from workflows.project_workflows pw where pw.owner_id = ${alias}.owner_id and pw.project_id = ${alias}.id),
    (select sw.id from workflows.workflows sw where sw.owner_id = ${alias}.owner_id and sw.is_system))`)
}

/** Returns the condition on a workflow row: owned by the caller, or used by a project that the caller may see. */
export function workflowVisible(ctx: ReadContext): Condition {
  const { userId, projects } = ctx.actor
  const { shared } = access(ctx)
  const owner = sql.ref('w.owner_id')
  const own = compare(owner, '=', userId)
  if (projects === null && shared.length === 0) return own
  // The owner comes first, because every index starts with the owner.
  const owners = [...new Set([userId, ...shared.map(share => share.ownerId)])]
  const used = exists(
    ctx.db
      .selectFrom('projects.projects as vp')
      .where(compare('vp.owner_id', '=', owner))
      .where(visible(ctx, 'vp', 'id'))
      .where(compare(projectWorkflow('vp'), '=', sql.ref('w.id'))),
  )
  return allOf([compare(owner, 'in', owners), projects === null ? anyOf([own, used]) : used])
}

/** Returns the order of listed workflows `w`: the caller's own first. */
export const ownFirst = ({ actor }: ReadContext) =>
  sql`(w.owner_id = ${actor.userId}) desc, w.is_system desc, w.name_key, w.id`
