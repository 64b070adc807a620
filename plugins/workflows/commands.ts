import { choice, defineCommand, quoteName, ToolError, Type, type User, type WriteContext } from 'tasuki/plugin'
import { defineListCommand, ownerOption, projectArgument, requireProjectOf } from '../projects/index.ts'
import { findOwnWorkflow, readWorkflowTable, type WorkflowRow } from './workflow.repository.ts'
import { assignWorkflow, createWorkflow, MOST_NAME, updateWorkflow } from './write.ts'

const Workflow = Type.String({ minLength: 1, maxLength: 300, description: 'Name or id of the workflow.' })

export const workflowList = defineListCommand('workflow list', 'List workflows.', readWorkflowTable)

export const workflowCopy = defineCommand({
  name: 'workflow copy',
  summary: 'Copy the system workflow to one that can be edited.',
  args: Type.Object({
    name: Type.String({ minLength: 1, maxLength: MOST_NAME, description: 'Name of the copy.' }),
    user: ownerOption,
  }),
  positional: ['name'],
  async run(ctx, { name, user }) {
    const owner = await ctx.users.require(user)
    const workflow = await createWorkflow(ctx, owner.id, { name })
    return { text: `Created the workflow ${quoteName(workflow.name)} (${workflow.id}) of ${owner.email}.` }
  },
})

export const workflowAssign = defineCommand({
  name: 'workflow assign',
  summary: 'Switch a project to a workflow; its items move to the corresponding states.',
  args: Type.Object({ project_key: projectArgument, workflow: Workflow, user: ownerOption }),
  positional: ['project_key', 'workflow'],
  async run(ctx, { project_key, workflow: text, user }) {
    const owner = await ctx.users.require(user)
    const project = await requireProjectOf(ctx, owner, project_key)
    const workflow = await requireOwnWorkflow(ctx, owner, text)
    const { changed, moves } = await assignWorkflow(ctx, project, workflow)
    if (!changed) return { text: `${project.key} uses the workflow ${quoteName(workflow.name)} already.` }
    return {
      text: `${project.key} uses the workflow ${quoteName(workflow.name)} now.`,
      rows: moves.map(({ from, to }) => ({ former_state: from.name, state: to.name })),
    }
  },
})

export const workflowEnforce = defineCommand({
  name: 'workflow enforce',
  summary: 'Let items move along defined transitions only (on), or to any state (off).',
  args: Type.Object({ workflow: Workflow, enforce: choice(['on', 'off']), user: ownerOption }),
  positional: ['workflow', 'enforce'],
  async run(ctx, { workflow: text, enforce, user }) {
    const workflow = await requireOwnWorkflow(ctx, await ctx.users.require(user), text)
    const { changed } = await updateWorkflow(ctx, workflow, { enforceTransitions: enforce === 'on' })
    const rule = enforce === 'on' ? 'moves along its transitions only' : 'moves to any state'
    return {
      text: `The workflow ${quoteName(workflow.name)} ${changed.length > 0 ? 'now' : 'already'} allows ${rule}.`,
    }
  },
})

async function requireOwnWorkflow(ctx: WriteContext, owner: User, text: string): Promise<WorkflowRow> {
  const workflow = await findOwnWorkflow(ctx, owner.id, text)
  if (workflow) return workflow
  throw new ToolError('not_found', `${owner.email} has no workflow ${quoteName(text)}.`, {
    field: 'workflow',
    hint: 'tasuki workflow list shows workflows.',
  })
}
