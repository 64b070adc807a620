import { callTool, quoteName, quoteNameJa } from 'tasuki/plugin'
import {
  addressOf,
  defineForm,
  defineProjectPage,
  defineRefusals,
  defineTexts,
  fields,
  formView,
  html,
  ownProject,
  table,
} from '../../portal/index.ts'
import { stateName } from '../state-names.ts'
import { requireWorkflow } from '../find.ts'
import { workflowStatesList } from '../tools/workflow_states_list.ts'
import { assignWorkflow, createWorkflow, updateWorkflow } from '../write.ts'

const texts = defineTexts(
  {
    title: 'Workflow',
    uses: (name: string) => `This project uses the workflow ${quoteName(name)}.`,
    state: 'State',
    means: 'Category',
    categories: { todo: 'To do', in_progress: 'In progress', review: 'In review', done: 'Closed' },
    attributes: { pending: '', done: 'done', duplicate: 'duplicate', wontfix: "won't do" },
    start: 'new items start here',
    choose: 'Switch workflow',
    workflow: 'Workflow',
    chooseHint: 'Items are moved to the matching states.',
    assign: 'Switch workflow',
    assigned: 'Workflow switched.',
    copy: 'Create your own workflow',
    copyText: 'Copies the workflow in use. Apps can then change its states and transitions.',
    name: 'Name',
    copySubmit: 'Copy and switch',
    copied: (name: string) => `Switched to the new workflow ${quoteName(name)}.`,
    enforce: 'Allow only the defined transitions',
    enforceSave: 'Save',
    saved: 'Saved.',
  },
  {
    ja: {
      title: 'ワークフロー',
      uses: name => `このプロジェクトはワークフロー${quoteNameJa(name)}を使っています。`,
      state: 'ステータス',
      means: 'カテゴリ',
      categories: { todo: '未着手', in_progress: '進行中', review: 'レビュー中', done: '完了' },
      attributes: { pending: '', done: '完了', duplicate: '重複', wontfix: '対応しない' },
      start: '新しいタスクの初期ステータス',
      choose: 'ワークフローの切り替え',
      workflow: 'ワークフロー',
      chooseHint: 'タスクは対応するステータスに移ります。',
      assign: 'ワークフローを切り替える',
      assigned: 'ワークフローを切り替えました。',
      copy: '独自のワークフローを作る',
      copyText: '使用中のワークフローのコピーを作ります。ステータスと遷移はアプリから変更できます。',
      name: '名前',
      copySubmit: 'コピーして切り替える',
      copied: name => `新しいワークフロー${quoteNameJa(name)}に切り替えました。`,
      enforce: '定義された遷移だけを許可する',
      enforceSave: '保存',
      saved: '保存しました。',
    },
  },
)

const PATH = '/projects/:key/workflow'

const assignRefusals = defineRefusals(
  {
    'not_found workflow_id': 'Reload the page and choose again.',
    'workflow_mismatch workflow_id': 'Choose a workflow of the owner of the project.',
  },
  {
    ja: {
      'not_found workflow_id': 'このワークフローはありません。ページを再読み込みして、選び直してください。',
      'workflow_mismatch workflow_id': 'プロジェクトの所有者のワークフローを選んでください。',
    },
  },
)

const assignForm = defineForm({
  path: PATH,
  fields: { workflow_id: fields.text({ max: 80 }) },
  refusals: assignRefusals,
  async run(visit, { workflow_id: id }) {
    await visit.write(async ctx => assignWorkflow(ctx, await ownProject(ctx, visit), await requireWorkflow(ctx, id)))
    return { to: addressOf(PATH, visit.params), notice: texts(visit.language).assigned }
  },
})

const copyForm = defineForm({
  path: '/projects/:key/workflow/copy',
  fields: { name: fields.text({ max: 80 }) },
  async run(visit, { name }) {
    await visit.write(async ctx => {
      const project = await ownProject(ctx, visit)
      const { workflows } = await callTool(workflowStatesList, ctx, { project_key: visit.params['key']! })
      const copyOf = await requireWorkflow(ctx, workflows[0]!.id)
      await assignWorkflow(ctx, project, await createWorkflow(ctx, project.ownerId, { name, copyOf }))
    })
    return { to: addressOf(PATH, visit.params), notice: texts(visit.language).copied(name) }
  },
})

const enforceForm = defineForm({
  path: '/projects/:key/workflow/enforce',
  fields: { enforce: fields.tick() },
  async run(visit, { enforce }) {
    await visit.write(async ctx => {
      await ownProject(ctx, visit)
      const { workflows } = await callTool(workflowStatesList, ctx, { project_key: visit.params['key']! })
      const workflow = await requireWorkflow(ctx, workflows[0]!.id, { edit: true, lock: true })
      await updateWorkflow(ctx, workflow, { enforceTransitions: enforce })
    })
    return { to: addressOf(PATH, visit.params), notice: texts(visit.language).saved }
  },
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
            formView(
              visit,
              enforceForm,
              visit.params,
              form =>
                html`${form.tick('enforce', { label: t.enforce, value: workflow.enforce_transitions })}
                  <p class="actions">${form.submit(t.enforceSave, { kind: 'plain' })}</p>`,
            )
          }
          ${
            choices.length > 1 &&
            html`<h2>${t.choose}</h2>
              ${formView(
                visit,
                assignForm,
                visit.params,
                form =>
                  html`${form.select('workflow_id', {
                      label: t.workflow,
                      hint: t.chooseHint,
                      value: workflow.id,
                      options: Object.fromEntries(choices.map(({ id, name }) => [id, name])),
                    })}
                    <p class="actions">${form.submit(t.assign)}</p>`,
              )}`
          }
          <div class="card">
            <h2>${t.copy}</h2>
            <p>${t.copyText}</p>
            ${formView(
              visit,
              copyForm,
              visit.params,
              form =>
                html`${form.input('name', { label: t.name, maxlength: 80 })}
                  <p class="actions">${form.submit(t.copySubmit)}</p>`,
            )}
          </div>`
      }`
  },
})
