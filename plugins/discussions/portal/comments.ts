import { callTool, firstCharacters, formatCount, quoteName, quoteNameJa, type ReadContext } from 'tasuki/plugin'
import { requireItem } from '../../items/index.ts'
import {
  addressOf,
  defineItemForm,
  definePage,
  defineTexts,
  deletion,
  fields,
  html,
  formatInstant,
  idOf,
  ITEM,
  itemPanels,
  joinSentences,
  markdownView,
  offsetOf,
  pager,
  readSubject,
  Refusal,
  refIn,
} from '../../portal/index.ts'
import type { Html, Subject, UserVisit } from '../../portal/index.ts'
import { findDiscussion, readAuthorship, type Authorship } from '../discussion.repository.ts'
import { BODY_MOST, DISCUSSION_KINDS, type Discussion } from '../discussion.ts'
import { filesOf } from '../on-attachments.ts'
import { discussionsCreate } from '../tools/discussions_create.ts'
import { discussionsDelete } from '../tools/discussions_delete.ts'
import { discussionsList } from '../tools/discussions_list.ts'
import { EDIT } from './edit-comment.ts'

const texts = defineTexts({
  discussions: { en: 'Comments', ja: 'コメント' },
  noComments: { en: 'No comments yet.', ja: 'まだコメントはありません。' },
  allComments: { en: 'All comments', ja: 'すべてのコメント' },
  comment: { en: 'Your comment', ja: 'コメント' },
  addComment: { en: 'Add comment', ja: 'コメントする' },
  commented: { en: 'Comment added.', ja: 'コメントしました。' },
  discussionKinds: {
    en: { decision: 'Decision', fact: 'Fact', progress: 'Progress' },
    ja: { decision: '決定', fact: '事実', progress: '進捗' },
  },
  kindOfComment: { en: 'Type', ja: '種類' },
  lost: {
    en: (author: string) =>
      `Once deleted, this comment by ${quoteName(author)} cannot be restored. The changes of the item keep its text.`,
    ja: author => `${quoteNameJa(author)}のこのコメントを削除すると、元に戻せません。本文は変更履歴に残ります。`,
  },
  lostFiles: {
    en: (files: number) => `${formatCount(files, 'file')} of the comment will be deleted too.`,
    ja: files => `コメントのファイル${files}件も削除されます。`,
  },
  edited: { en: 'edited', ja: '編集済み' },
  deleted: { en: 'Comment deleted.', ja: 'コメントを削除しました。' },
  gone: { en: 'The comment has already been deleted.', ja: 'このコメントはすでに削除されています。' },
})

const PATH = `${ITEM}/comments`
/** Comments per page, and the maximum on the item page. */
const PAGE = 30

/** Adds a comment on the item page. */
export const commentForm = defineItemForm({
  path: PATH,
  fields: { body: fields.text({ max: BODY_MOST }), kind: fields.singleChoice(DISCUSSION_KINDS) },
  to: `${ITEM}#comments`,
  run: (ctx, ref, input) => callTool(discussionsCreate, ctx, { item_ref: ref, ...input }),
  notice: language => texts(language).commented,
})

/** Deletes a comment of the item; the tool decides who may. */
export const deleteForm = defineItemForm({
  path: `${PATH}/:id/delete`,
  fields: {},
  to: `${ITEM}#comments`,
  async run(ctx, ref, _input, { params, language }) {
    const id = idOf(params)
    const item = await requireItem(ctx, ref)
    const found = await findDiscussion(ctx, id, true)
    if (found?.item.id !== item.id) throw new Refusal({ '': texts(language).gone }, 409)
    await callTool(discussionsDelete, ctx, { discussion_id: id })
  },
  notice: language => texts(language).deleted,
})

/** Comments, and those of them that the user may delete, by id. */
interface Comments {
  readonly discussions: readonly Discussion[]
  readonly deletable: ReadonlyMap<string, Authorship>
}

async function withRights(
  ctx: ReadContext,
  { project, role }: Subject,
  discussions: readonly Discussion[],
): Promise<Comments> {
  if (role === 'viewer' || discussions.length === 0) return { discussions, deletable: new Map() }
  const ids = discussions.map(({ id }) => id)
  const rows = await readAuthorship(ctx, project.ownerId, ids, filesOf(ctx))
  return {
    discussions,
    deletable: new Map(rows.filter(row => row.isOwn || role === 'owner').map(row => [row.id, row])),
  }
}

export const commentsPanel = itemPanels<Comments>({
  rank: 40,
  load: (ctx, item) => withRights(ctx, item, (item.sections['discussions'] ?? []) as readonly Discussion[]),
  async view(visit, { role }, loaded) {
    const t = texts(visit.language)
    const { discussions } = loaded
    const comments = await commentList(visit, loaded)
    return html`<h2 id="comments">${t.discussions}</h2>
      ${discussions.length === 0 && html`<p class="quiet">${t.noComments}</p>`} ${comments}
      ${discussions.length >= PAGE && html`<p><a href="${addressOf(PATH, visit.params)}">${t.allComments}</a></p>`}
      ${
        role !== 'viewer' &&
        commentForm.view(
          visit,
          form =>
            html`${form.area('body', { label: t.comment, rows: 3 })}
            ${form.select('kind', { label: t.kindOfComment, value: 'progress', options: t.discussionKinds })}`,
          { submit: t.addComment },
        )
      }`
  },
})

/** All comments of an item. */
export const commentsPage = definePage({
  path: PATH,
  async load(visit) {
    const offset = offsetOf(visit.query)
    const ref = refIn(visit.params)
    const { more, ...loaded } = await visit.read(async ctx => {
      const { discussions, has_more } = await callTool(discussionsList, ctx, { item_ref: ref, limit: PAGE, offset })
      return { more: has_more, ...(await withRights(ctx, await readSubject(ctx, visit), discussions)) }
    })
    return { ref, offset, comments: await commentList(visit, loaded), more }
  },
  title: ({ language }, { ref }) => `${texts(language).discussions} – ${ref}`,
  view(visit, { ref, offset, comments, more }) {
    const path = addressOf(PATH, visit.params)
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${ref}</a></p>
      <h1>${texts(visit.language).discussions}</h1>
      ${comments} ${pager(visit, { path, offset, size: PAGE, more })}`
  },
})

function commentList(visit: UserVisit, { discussions, deletable }: Comments): Promise<readonly Html[]> {
  const t = texts(visit.language)
  return Promise.all(
    discussions.map(async discussion => {
      const { id, author, kind, body, created_at: at, updated_at: changedAt } = discussion
      const authorship = deletable.get(id)
      return html`<article class="card" id="comment-${id}">
        <p class="quiet">
          ${author} · ${formatInstant(visit, at)}${changedAt !== at && ` · ${t.edited}`}
          <span class="tag">${t.discussionKinds[kind]}</span>
          ${authorship?.isOwn && editLink(visit, discussion)}
        </p>
        ${await markdownView(visit, body, 3)} ${authorship && deleteView(visit, discussion, authorship)}
      </article>`
    }),
  )
}

function editLink({ language, params }: UserVisit, { id, body }: Discussion): Html {
  return html`<a href="${addressOf(EDIT, { ...params, id })}"
    >${texts(language).edit}<span class="unseen"> ${nameOf(body)}</span></a
  >`
}

/** Names a comment for screen readers. */
const nameOf = (body: string): string => firstCharacters(body, 60)

function deleteView(visit: UserVisit, { id, author, body }: Discussion, { files }: Authorship): Html {
  const t = texts(visit.language)
  const lost = joinSentences(visit.language, t.lost(author), files > 0 && t.lostFiles(files))
  return deletion(visit, deleteForm, { about: nameOf(body), lost, params: { id } })
}
