import { callTool, type ReadContext } from 'tasuki/plugin'
import {
  card,
  defineProjectForm,
  defineProjectPage,
  fields,
  html,
  mergeShown,
  Refusal,
  shownValues,
  table,
} from '../../portal/index.ts'
import type { PageProject } from '../../portal/index.ts'
import { stateName } from '../state-names.ts'
import { requireWorkflow } from '../find.ts'
import { workflowStatesList } from '../tools/workflow_states_list.ts'
import { assignWorkflow, createWorkflow, updateWorkflow } from '../write.ts'
import { texts } from './workflow-texts.ts'

const PATH = '/projects/:key/workflow'

const assignForm = defineProjectForm({
  path: PATH,
  fields: { workflow_id: fields.text({ max: 80 }), shown: shownValues() },
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
  async run(ctx, project, { shown, ...entered }, visit) {
    const { id, name } = await workflowInUse(ctx, project)
    const chosen = mergeShown(visit, { shown, stored: { workflow_id: id }, entered }, () => name)
    await assignWorkflow(ctx, project, await requireWorkflow(ctx, chosen.workflow_id))
  },
  notice: language => texts(language).assigned,
})

async function workflowInUse(ctx: ReadContext, { key }: PageProject) {
  const { workflows } = await callTool(workflowStatesList, ctx, { project_key: key })
  return workflows[0]!
}

const copyForm = defineProjectForm({
  path: '/projects/:key/workflow/copy',
  fields: { name: fields.text({ max: 80 }) },
  to: PATH,
  async run(ctx, project, { name }) {
    const { id } = await workflowInUse(ctx, project)
    const copyOf = await requireWorkflow(ctx, id)
    await assignWorkflow(ctx, project, await createWorkflow(ctx, project.ownerId, { name, copyOf }))
  },
  notice: (language, { name }) => texts(language).copied(name),
})

const enforceForm = defineProjectForm({
  path: '/projects/:key/workflow/enforce',
  fields: { enforce: fields.checkbox(), shown: shownValues() },
  to: PATH,
  async run(ctx, project, { enforce, shown }, visit) {
    const { id, name } = await workflowInUse(ctx, project)
    // The box belongs to the workflow that the page showed.
    if ((shown['workflow_id'] ?? id) !== id) {
      const problem = texts(visit.language).other(name)
      throw new Refusal({ '': problem }, 409, { shown: JSON.stringify({ workflow_id: id }) })
    }
    const workflow = await requireWorkflow(ctx, id, { edit: true, lock: true })
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
              html`${form.shown({ workflow_id: workflow.id })}
                ${form.tick('enforce', { label: t.enforce, value: workflow.enforce_transitions })}
                <p class="actions">${form.submit(t.save, { kind: 'plain' })}</p>`,
          )
        }
        ${
          choices.length > 1 &&
          html`<h2>${t.choose}</h2>
            ${assignForm.view(
              visit,
              form =>
                html`${form.shown({ workflow_id: workflow.id })}
                ${form.select('workflow_id', {
                  label: t.workflow,
                  hint: t.chooseHint,
                  value: workflow.id,
                  options: Object.fromEntries(choices.map(({ id, name }) => [id, name])),
                })}`,
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
