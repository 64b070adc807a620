import { callTool, type ReadContext } from 'tasuki/plugin'
import { requireItem } from '../../items/index.ts'
import {
  addressOf,
  defineItemForm,
  definePage,
  defineTexts,
  fields,
  html,
  idOf,
  ITEM,
  mergeShown,
  refIn,
  shownValues,
} from '../../portal/index.ts'
import type { UserVisit } from '../../portal/index.ts'
import type { FoundDiscussion } from '../discussion.repository.ts'
import { noDiscussionError, requireOwn } from '../discussion.service.ts'
import { discussionsPatch } from '../tools/discussions_patch.ts'
import { BODY_MOST } from '../discussion.ts'

const texts = defineTexts({
  title: { en: 'Edit comment', ja: 'コメントを編集' },
  body: { en: 'Comment', ja: 'コメント' },
})

export const EDIT = `${ITEM}/comments/:id/edit`

/** Finds the comment of a page, which its author may change. @throws ToolError not_found, forbidden */
async function find(ctx: ReadContext, { params }: UserVisit, lock: boolean): Promise<FoundDiscussion> {
  const found = await requireOwn(ctx, idOf(params), lock)
  if (found.item.id !== (await requireItem(ctx, refIn(params))).id) throw noDiscussionError(idOf(params))
  return found
}

const form = defineItemForm({
  path: EDIT,
  fields: { body: fields.text({ max: BODY_MOST }), shown: shownValues() },
  to: `${ITEM}#comment-:id`,
  async run(ctx, _ref, { shown, body }, visit) {
    const stored = (await find(ctx, visit, true)).discussion.body
    const merged = mergeShown(visit, { shown, stored: { body: stored }, entered: { body } })
    if (merged.body === fields.cleanText(stored)) return
    await callTool(discussionsPatch, ctx, { discussion_id: idOf(visit.params), body: merged.body })
  },
  notice: language => texts(language).saved,
})

/** The text of a comment, for its author. */
export const editCommentPage = definePage({
  path: EDIT,
  forms: [form],
  load: visit => visit.read(ctx => find(ctx, visit, false)),
  title: ({ language }, { item }) => `${texts(language).title} – ${item.ref}`,
  view(visit, { item, discussion: { body } }) {
    const t = texts(visit.language)
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${item.ref}</a></p>
      <h1>${t.title}</h1>
      ${form.view(
        visit,
        controls =>
          html`${controls.shown({ body })}
          ${controls.area('body', { label: t.body, hint: t.bodyHint, value: body, rows: 8 })}`,
        { submit: t.save },
      )}`
  },
})
