import { callTool, type ReadContext } from 'tasuki/plugin'
import { card, defineProjectForm, defineProjectPage, fields, html, table } from '../../portal/index.ts'
import type { PageProject } from '../../portal/index.ts'
import { stateName } from '../state-names.ts'
import { requireWorkflow } from '../find.ts'
import { workflowStatesList } from '../tools/workflow_states_list.ts'
import { assignWorkflow, createWorkflow, updateWorkflow } from '../write.ts'
import { texts } from './workflow-texts.ts'

const PATH = '/projects/:key/workflow'

const assignForm = defineProjectForm({
  path: PATH,
  fields: { workflow_id: fields.text({ max: 80 }) },
  refusals: {
    en: {
      'not_found workflow_id': 'Reload the page and choose again.',
      'workflow_mismatch workflow_id': 'Choose a workflow of the owner of the project.',
    },
    ja: {
      'not_found workflow_id': 'このワークフローはありません。ページを再読み込みして、選び直してください。',
      'workflow_mismatch workflow_id': 'プロジェクトの所有者のワークフローを選んでください。',
    },
  },
  run: async (ctx, project, { workflow_id: id }) => assignWorkflow(ctx, project, await requireWorkflow(ctx, id)),
  notice: language => texts(language).assigned,
})

/** The id of the workflow that a project uses. */
async function idInUse(ctx: ReadContext, { key }: PageProject): Promise<string> {
  const { workflows } = await callTool(workflowStatesList, ctx, { project_key: key })
  return workflows[0]!.id
}

const copyForm = defineProjectForm({
  path: '/projects/:key/workflow/copy',
  fields: { name: fields.text({ max: 80 }) },
  to: PATH,
  async run(ctx, project, { name }) {
    const copyOf = await requireWorkflow(ctx, await idInUse(ctx, project))
    await assignWorkflow(ctx, project, await createWorkflow(ctx, project.ownerId, { name, copyOf }))
  },
  notice: (language, { name }) => texts(language).copied(name),
})

const enforceForm = defineProjectForm({
  path: '/projects/:key/workflow/enforce',
  fields: { enforce: fields.checkbox() },
  to: PATH,
  async run(ctx, project, { enforce }) {
    const workflow = await requireWorkflow(ctx, await idInUse(ctx, project), { edit: true, lock: true })
    await updateWorkflow(ctx, workflow, { enforceTransitions: enforce })
  },
  notice: language => texts(language).saved,
})

/** Project settings → Workflow. */
export const workflowPage = defineProjectPage({
  name: language => texts(language).title,
  path: PATH,
  menu: { place: 'project settings', rank: 40 },
  forms: [assignForm, copyForm, enforceForm],
  async load(ctx, { role }, { params }) {
    const { states, workflows } = await callTool(workflowStatesList, ctx, { project_key: params['key']! })
    const known = role === 'owner' ? (await callTool(workflowStatesList, ctx, {})).workflows : []
    return {
      states,
      workflow: workflows[0]!,
      // Workflows of shared projects cannot be chosen. The system workflow comes first.
      choices: known.filter(({ editable }, n) => n === 0 || editable),
    }
  },
  view(visit, { role, states, workflow, choices }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.uses(workflow.name)}</p>
      ${table(t.title, states, [
        {
          title: t.state,
          cell: state =>
            html`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
                <circle cx="5" cy="5" r="5" fill="${state.color_hex ?? '#888888'}" /></svg
              >${stateName(visit.language, state.name)}`,
        },
        {
          title: t.means,
          cell: state =>
            [t.categories[state.category], t.attributes[state.status_attribute], state.is_default && t.start]
              .filter(Boolean)
              .join(' · '),
        },
      ])}
      ${
        role === 'owner' &&
        html`${
          workflow.editable &&
          enforceForm.view(
            visit,
            form =>
              html`${form.tick('enforce', { label: t.enforce, value: workflow.enforce_transitions })}
                <p class="actions">${form.submit(t.save, { kind: 'plain' })}</p>`,
          )
        }
        ${
          choices.length > 1 &&
          html`<h2>${t.choose}</h2>
            ${assignForm.view(
              visit,
              form =>
                form.select('workflow_id', {
                  label: t.workflow,
                  hint: t.chooseHint,
                  value: workflow.id,
                  options: Object.fromEntries(choices.map(({ id, name }) => [id, name])),
                }),
              { submit: t.assign },
            )}`
        }
        ${card(
          t.copy,
          html`<p>${t.copyText}</p>
            ${copyForm.view(visit, form => form.input('name', { label: t.name }), {
              submit: t.copySubmit,
            })}`,
        )}`
      }`
  },
})
