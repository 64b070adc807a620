import { callTool, countCharacters, Type, type ReadContext } from 'tasuki/plugin'
import {
  addressOf,
  defineItemForm,
  definePage,
  defineTexts,
  fields,
  html,
  ITEM,
  mergeShown,
  Refusal,
  refIn,
  shownValues,
} from '../../portal/index.ts'
import type { Controls, Html, UserVisit } from '../../portal/index.ts'
import { formatRef, type Draft, type ItemRow } from '../draft.ts'
import { requireItem } from '../find.ts'
import { itemEdits, type EditedValue, type ItemEdit } from '../points.ts'
import { itemsPatch, patchItem } from '../tools/items_patch.ts'
import { detail, patchParams } from '../write-params.ts'
import { itemTexts } from './texts.ts'
import { noticeWith } from './warnings.ts'

const texts = defineTexts({
  title: { en: (ref: string) => `Edit ${ref}`, ja: ref => `${ref} を編集` },
  itemTitle: { en: 'Title', ja: 'タイトル' },
  bodyTooLong: { en: 'The description is too long to edit here.', ja: '説明が長いため、ここでは編集できません。' },
  dueTimeHint: { en: 'Empty: all day.', ja: '空欄なら終日です。' },
  timeAlone: {
    en: (date: string) => `A time needs a date. Fill in “${date}” too, or leave the time empty.`,
    ja: date => `時刻には日付が必要です。「${date}」も入力するか、時刻を空欄にしてください。`,
  },
  noPriority: { en: 'None', ja: 'なし' },
  archive: { en: 'Archive', ja: 'アーカイブ' },
  unarchive: { en: 'Unarchive', ja: 'アーカイブから戻す' },
  archivedText: {
    en: 'An archived item stays findable, but is in no list.',
    ja: 'アーカイブすると一覧に表示されなくなりますが、検索はできます。',
  },
  archiveDone: { en: 'Archived.', ja: 'アーカイブしました。' },
  unarchiveDone: { en: 'Unarchived.', ja: 'アーカイブから戻しました。' },
})

const PATH = `${ITEM}/edit`
/** Characters of the longest description that is edited here: in Japanese, a character takes nine bytes of a form of 300 kB. */
const BODY_MAX = 30_000
/** Characters of a field of another plugin: 50 labels. */
const ADDED_MAX = 3500

/** The values of the form; those that the type of the item does not have are absent. */
function valuesOf(item: ItemRow): Partial<Record<keyof typeof inputs, string>> {
  const { type, title, detail, dueDate, dueTime, startDate, priority } = item
  return {
    title,
    ...(countCharacters(detail) <= BODY_MAX && { detail }),
    ...((type === 'task' || type === 'event') && { due_date: dueDate ?? '', due_time: dueTime ?? '' }),
    ...(type === 'task' && { start_date: startDate ?? '' }),
    ...((type === 'task' || type === 'task_template') && { priority: priority ?? '' }),
  }
}

const dateLabel = ({ language }: UserVisit, { type }: ItemRow): string =>
  itemTexts(language)[type === 'event' ? 'when' : 'due']

const Patch = Type.Object({ ...patchParams, detail: Type.Optional(detail()) })

const inputs = {
  title: fields.text({ max: 200 }),
  detail: fields.text({ max: BODY_MAX, optional: true }),
  due_date: fields.text({ max: 10, optional: true }),
  due_time: fields.text({ max: 5, optional: true }),
  start_date: fields.text({ max: 10, optional: true }),
  priority: fields.text({ max: 10, optional: true }),
}

/** A field of another plugin, with its value. */
type Added = ItemEdit & EditedValue

async function readAdded(ctx: ReadContext, item: ItemRow): Promise<readonly Added[]> {
  const added: Added[] = []
  for (const edit of ctx.all(itemEdits)) {
    const value = await edit.load(ctx, item)
    if (value) added.push({ ...edit, ...value })
  }
  return added
}

const shownOf = (item: ItemRow, added: readonly Added[]): Readonly<Record<string, string>> => ({
  ...valuesOf(item),
  ...Object.fromEntries(added.map(({ name, value }) => [name, value])),
})

const editForm = defineItemForm({
  path: PATH,
  fields: { ...inputs, shown: shownValues() },
  more: all =>
    Object.fromEntries(all(itemEdits).map(({ name }) => [name, fields.text({ max: ADDED_MAX, optional: true })])),
  async run(ctx, ref, { shown, ...entered }, visit) {
    const item = await requireItem(ctx, ref, { write: true, lock: true })
    const added = await readAdded(ctx, item)
    const stored = shownOf(item, added)
    // It grew past what the form shows while somebody edited it here: refused, so that their text is not dropped.
    if (stored['detail'] === undefined && fields.shownText(entered.detail) !== fields.shownText(shown['detail'] ?? ''))
      throw new Refusal({ detail: texts(visit.language).bodyTooLong }, 409)
    // A page that was opened before a plugin was turned on shows none of its fields.
    const isGiven = (name: string): boolean => name in stored && (name in inputs || name in shown)
    const given = Object.fromEntries(Object.entries(entered).filter(([name]) => isGiven(name)))
    const labelOf = (value: string, field: string) =>
      added.find(({ name }) => name === field)?.choices?.[value] ?? value
    const merged = mergeShown(visit, { shown, stored, entered: given }, labelOf)
    const changed = Object.entries(merged).filter(([name, value]) => value !== fields.cleanText(stored[name]!))
    const changes: Record<string, string> = Object.fromEntries(changed.filter(([name]) => name in inputs))
    if (changes['due_time'] && merged['due_date'] === '')
      throw new Refusal({ due_time: texts(visit.language).timeAlone(dateLabel(visit, item)) })
    // Another date alone would reset the time, which the form shows beside it.
    if (changes['due_date'] !== undefined) changes['due_time'] = changes['due_date'] && (merged['due_time'] ?? '')
    const patch = visit.services.inputChecker(Patch)(changes)
    const edits = changed.flatMap(([name, value]) => {
      const edit = added.find(each => each.name === name)
      return edit ? (of: ReadContext, drafts: readonly Draft[]) => edit.prepare(of, drafts, value) : []
    })
    return changed.length > 0 ? patchItem(ctx, item, patch, edits) : {}
  },
  notice: (language, _input, result, visit) => noticeWith(visit, texts(language).saved, result),
})

const archiveForm = defineItemForm({
  path: `${ITEM}/archive`,
  fields: { archived: fields.singleChoice(['yes', 'no']) },
  run: (ctx, ref, { archived }) =>
    callTool(itemsPatch, ctx, { item_ref: ref, archived_at: archived === 'yes' ? ctx.now.toISOString() : null }),
  notice: (language, { archived }) => texts(language)[archived === 'yes' ? 'archiveDone' : 'unarchiveDone'],
})

/** Changes the fields of an item, with those that plugins add. */
export const editPage = definePage<{ readonly item: ItemRow; readonly added: readonly Added[] }>({
  path: PATH,
  forms: [editForm, archiveForm],
  load: visit =>
    visit.read(async ctx => {
      const item = await requireItem(ctx, refIn(visit.params), { write: true })
      return { item, added: await readAdded(ctx, item) }
    }),
  title: ({ language }, { item }) => texts(language).title(formatRef(item)),
  view(visit, { item, added }) {
    const [t, names] = [texts(visit.language), itemTexts(visit.language)]
    const ref = formatRef(item)
    const values = valuesOf(item)
    const { title, detail, due_date: due, due_time: time, start_date: start, priority } = values
    const isArchived = item.archivedAt !== null
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${ref}</a></p>
      <h1>${t.title(ref)}</h1>
      ${editForm.view(
        visit,
        form =>
          html`${form.shown(shownOf(item, added))} ${form.input('title', { label: t.itemTitle, value: title! })}
          ${
            detail === undefined && visit.refused?.problems['detail'] === undefined
              ? html`<p class="quiet">${t.bodyTooLong}</p>`
              : form.area('detail', {
                  label: t.description,
                  hint: t.bodyHint,
                  value: detail ?? '',
                  rows: 12,
                  optional: true,
                })
          }
          ${due !== undefined && form.input('due_date', { label: dateLabel(visit, item), type: 'date', value: due, optional: item.type !== 'event' })}
          ${time !== undefined && form.input('due_time', { label: t.time, type: 'time', value: time, optional: true, hint: t.dueTimeHint })}
          ${start !== undefined && form.input('start_date', { label: names.start, type: 'date', value: start, optional: true })}
          ${priority !== undefined && form.select('priority', { label: names.priority, value: priority, options: { '': t.noPriority, ...names.priorities } })}
          ${added.map(each => addedControl(visit, form, each))}`,
        { submit: t.save },
      )}
      <h2>${isArchived ? t.unarchive : t.archive}</h2>
      <p class="lead">${t.archivedText}</p>
      ${archiveForm.button(visit, isArchived ? t.unarchive : t.archive, { values: { archived: isArchived ? 'no' : 'yes' }, kind: 'plain', inline: false })}`
  },
})

function addedControl({ language }: UserVisit, form: Controls<string>, { name, choices, ...edit }: Added): Html {
  const options = { label: edit.label[language], value: edit.value, hint: edit.hint?.[language] ?? '' }
  return choices
    ? form.select(name, { ...options, options: choices })
    : form.input(name, { ...options, optional: true })
}
