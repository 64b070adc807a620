import { dateOf, callTool, ToolError, type WriteContext } from 'tasuki/plugin'
import { itemsCreate } from '../../items/index.ts'
import {
  addressOf,
  defineForm,
  defineProjectPage,
  defineTexts,
  fields,
  formatDay,
  html,
  itemAddress,
  itemLink,
  pageLinks,
  type Language,
  type Visit,
} from '../../portal/index.ts'
import { access } from '../../projects/index.ts'
import { createTemplate } from '../create.ts'
import { isAllDay, readRecurrence } from '../recurrence.ts'
import { readTemplates } from '../template.repository.ts'
import { STRATEGIES } from '../template.ts'
import { readQuickLine } from '../words/read-line.ts'
import { describeRule } from '../words/write-words.ts'
import { timeOf, wallClock } from '../zone.ts'

const texts = defineTexts({
  title: { en: 'Quick add', ja: 'クイック追加' },
  recurring: { en: 'Recurring tasks', ja: '繰り返しタスク' },
  lead: { en: 'One line: the task and its date.', ja: '一行で、何をいつするかを入力します。' },
  add: { en: 'Add', ja: '追加' },
  examples: { en: 'Examples', ja: '例' },
  added: { en: 'Added without a date.', ja: '追加しました（日付なし）。' },
  due: { en: (at: string) => `Added, due ${at}.`, ja: (at: string) => `追加しました（期限 ${at}）。` },
  recurs: {
    en: (rule: string, next: string) => `Added: ${rule}. Next: ${next}.`,
    ja: (rule: string, next: string) => `追加しました: ${rule}。次回: ${next}`,
  },
  closed: {
    en: 'Nothing can be added: the project is archived, or you can only read it.',
    ja: '追加できません。プロジェクトがアーカイブされているか、閲覧の権限しかありません。',
  },
})
const EXAMPLES: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Buy milk tomorrow',
    'Call Ann next Tuesday at 15:00',
    'Pay rent in 3 days',
    'Report every second Friday at 16:00',
  ],
  ja: ['牛乳を買う 明日', '来週の火曜15時 アンに電話', '家賃を払う 3日後', '報告書 隔週金曜16時'],
}

const PATH = '/projects/:key/add'
/** Maximum number of recurring tasks listed, the next due first. */
const MAX_LISTED = 100

const addForm = defineForm({
  path: PATH,
  fields: { line: fields.text({ max: 200 }) },
  refusals: {
    en: {
      'missing_argument line': 'Say what is to be done, not only when.',
      'invalid_argument line':
        'Say on which days or at which times, such as every Tuesday and Friday. A full stop at the end keeps the words in the title.',
    },
    ja: {
      'missing_argument line': 'いつするかだけでなく、何をするかも入力してください。',
      'invalid_argument line':
        '毎週火曜と金曜のように、曜日や時刻を入力してください。行末に「。」を付けると、そのままタイトルになります。',
    },
  },
  async run(visit, { line }) {
    const key = visit.params['key']!
    const { ref, notice } = await visit.write(ctx => addLine(ctx, visit, key, line))
    return { to: itemAddress(key, ref), notice }
  },
})

/** Creates a task, or a template if the line contains a rule. */
async function addLine(
  ctx: WriteContext,
  visit: Visit,
  key: string,
  line: string,
): Promise<{ readonly ref: string; readonly notice: string }> {
  const t = texts(visit.language)
  const { timeZone } = access(ctx)
  const { title, recurrence: words, date, time, unclear } = readQuickLine(line, ctx.now.getTime(), timeZone)
  const field = 'line'
  if (title === '') {
    const hint = 'Write a title in addition to the date.'
    throw new ToolError('missing_argument', 'The line says when, and not what.', { field, hint })
  }
  if (unclear !== undefined) {
    const hint = 'Name the days or times, such as every Tuesday and Friday, or end the line with a full stop.'
    throw new ToolError('invalid_argument', `"${unclear}" says how often, and not when.`, { field, hint })
  }
  if (words === undefined) {
    const due = date === undefined ? {} : { due_date: date, ...(time && { due_time: time }) }
    const { item } = await callTool(itemsCreate, ctx, { project_key: key, title, ...due })
    return {
      ref: (item as { readonly ref: string }).ref,
      notice: date === undefined ? t.added : t.due([formatDay(visit, date), time].filter(Boolean).join(' ')),
    }
  }
  const recurrence = readRecurrence(words, timeZone, ctx.now)
  const { draft, next } = await createTemplate(ctx, {
    project_key: key,
    title,
    detail: '',
    labels: undefined,
    makes: 'task',
    recurrence,
    strategy: STRATEGIES[1],
  })
  const dates = next.map(at => {
    const wall = wallClock(Date.parse(at), timeZone)
    const day = formatDay(visit, dateOf(wall))
    return isAllDay(recurrence) ? day : `${day} ${timeOf(wall)}`
  })
  return { ref: draft.ref, notice: t.recurs(describeRule(recurrence.rule, visit.language), dates.join(', ')) }
}

/** Creates a task with a due date in words, or a template, from one line. */
export const quickAddPage = defineProjectPage({
  name: language => texts(language).title,
  path: PATH,
  menu: { place: 'project', rank: 15 },
  forms: [addForm],
  load: async (ctx, _subject, { params }) => ({
    templates: await readTemplates(ctx, { project: params['key']!, limit: MAX_LISTED }),
  }),
  view(visit, { role, project, templates }) {
    const t = texts(visit.language)
    const list = html`<h2 id="recurring">${t.recurring}</h2>
      ${templates.length === 0 && html`<p class="quiet">${t.none}</p>`}
      <ul class="rows">
        ${templates.map(({ ref, title, recurrence_rule: rule }) => html`<li>${itemLink(visit, { ref, title })} <span class="quiet">${describeRule(rule, visit.language)}</span></li>`)}
      </ul>`
    if (role === 'viewer' || project.archived)
      return html`<h1>${t.title}</h1>
        <p class="quiet">${t.closed}</p>
        ${list}`
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${addForm.view(visit, form => form.input('line', { label: t.task }), { submit: t.add })}
      <h2>${t.examples}</h2>
      <ul class="rows">
        ${EXAMPLES[visit.language].map(example => html`<li>${example}</li>`)}
      </ul>
      ${list}`
  },
})

/** Links from the board and the library to the recurring tasks. */
export const recurringLinks = ['/projects/:key/board', '/projects/:key/library'].map(page =>
  pageLinks({
    page,
    label: language => texts(language).recurring,
    to: ({ params }) => `${addressOf(PATH, params)}#recurring`,
  }),
)
