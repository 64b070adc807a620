import { deleteWhere, overwrite, type OwnedKey, type WriteContext } from 'tasuki/plugin'
import { projectWorkflow } from './visibility.repository.ts'

/** Locks a project. @returns the id of its workflow; undefined for an unknown project */
export async function lockProjectWorkflow(ctx: WriteContext, ownerId: string, projectId: string) {
  const project = ctx.db
    .selectFrom('projects.projects as p')
    .where(({ and }) => and({ 'p.owner_id': ownerId, 'p.id': projectId }))
  // The workflow is read after the lock: a statement that waited would see the former one.
  await project.select('p.id').forNoKeyUpdate('p').execute()
  return (await project.select(projectWorkflow('p').as('workflowId')).executeTakeFirst())?.workflowId
}

/** Sets the workflow of a project; null = the system workflow of its owner. */
export async function setProjectWorkflow(
  ctx: WriteContext,
  { ownerId, id: projectId }: OwnedKey,
  workflowId: string | null,
): Promise<void> {
  if (workflowId === null) {
    await deleteWhere(ctx.db, 'workflows.project_workflows', { owner_id: ownerId, project_id: projectId })
    return
  }
  await ctx.db
    .insertInto('workflows.project_workflows')
    .values({ owner_id: ownerId, project_id: projectId, workflow_id: workflowId })
    .onConflict(overwrite(['owner_id', 'project_id'], ['workflow_id']))
    .execute()
}
