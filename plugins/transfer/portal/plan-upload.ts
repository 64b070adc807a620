import type { ReadContext } from 'tasuki/plugin'
import { addressOf, type UserVisit } from '../../portal/index.ts'
import { createProject, type ProjectRow } from '../../projects/index.ts'
import type { Content } from '../content.ts'
import { planImport, type ImportPlan } from '../plan.ts'
import type { UploadRow } from '../upload.repository.ts'
import { importOf, requireTarget } from '../upload.service.ts'

export const IMPORT = '/imports/:id'
export const importAddress = (id: string): string => addressOf(IMPORT, { id })

/** The properties of an upload that determine its plan. */
export type Planned = Pick<
  UploadRow,
  'filename' | 'format' | 'states' | 'project_owner_id' | 'project_id' | 'new_key' | 'new_name'
>

/** The plan of an import, and its project. */
export interface Plan {
  readonly plan: ImportPlan
  readonly project: ProjectRow
}

/** Rolls back a transaction, and carries the plan that was made in it. */
class RolledBackPlan extends Error {
  readonly plan: Plan
  constructor(plan: Plan) {
    super('nothing is written')
    this.plan = plan
  }
}

/** Plans an import. A new project is created for this and rolled back. @throws ToolError if the project accepts no items */
export async function planFor(visit: UserVisit, upload: Planned, { items }: Pick<Content, 'items'>): Promise<Plan> {
  const planIn = async (ctx: ReadContext, project: ProjectRow): Promise<Plan> => ({
    project,
    plan: await planImport(ctx, items, importOf(upload, project)),
  })
  const { new_key: key, new_name: name } = upload
  if (key === null) return visit.read(async ctx => planIn(ctx, await requireTarget(ctx, upload)))
  try {
    return await visit.write(async ctx => {
      const project = await createProject(ctx, { ownerId: ctx.actor.userId, key, name: name ?? key })
      throw new RolledBackPlan(await planIn(ctx, project))
    })
  } catch (error) {
    if (error instanceof RolledBackPlan) return error.plan
    throw error
  }
}
