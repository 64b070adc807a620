import { callTool } from 'tasuki/plugin'
import {
  addressOf,
  defineItemForm,
  definePage,
  defineTexts,
  fields,
  html,
  formatInstant,
  ITEM,
  itemPanels,
  markdownView,
  offsetOf,
  pager,
  refIn,
} from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import type { Discussion } from '../discussion.ts'
import { discussionsCreate } from '../tools/discussions_create.ts'
import { discussionsList } from '../tools/discussions_list.ts'

const texts = defineTexts(
  {
    discussions: 'Comments',
    noComments: 'No comments yet.',
    allComments: 'All comments',
    comment: 'Your comment',
    addComment: 'Add comment',
    commented: 'Comment added.',
    discussionKinds: { decision: 'Decision', fact: 'Fact', progress: 'Progress' },
    kindOfComment: 'Type',
  },
  {
    ja: {
      discussions: 'コメント',
      noComments: 'まだコメントはありません。',
      allComments: 'すべてのコメント',
      comment: 'コメント',
      addComment: 'コメントする',
      commented: 'コメントしました。',
      discussionKinds: { decision: '決定', fact: '事実', progress: '進捗' },
      kindOfComment: '種類',
    },
  },
)

const PATH = `${ITEM}/comments`
/** Comments per page, and the maximum on the item page. */
const PAGE = 30

/** Adds a comment on the item page. */
export const commentForm = defineItemForm({
  path: PATH,
  fields: { body: fields.text({ max: 32_000 }), kind: fields.singleChoice(['progress', 'decision', 'fact']) },
  to: `${ITEM}#comments`,
  run: (ctx, ref, input) => callTool(discussionsCreate, ctx, { item_ref: ref, ...input }),
  notice: language => texts(language).commented,
})

export const commentsPanel = itemPanels<readonly Discussion[]>({
  rank: 40,
  load: (_ctx, { sections }) => (sections['discussions'] ?? []) as readonly Discussion[],
  async view(visit, { role }, discussions) {
    const t = texts(visit.language)
    const comments = await commentList(visit, discussions)
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
    const { discussions, has_more: more } = await visit.read(ctx =>
      callTool(discussionsList, ctx, { item_ref: ref, limit: PAGE, offset }),
    )
    return { ref, offset, comments: await commentList(visit, discussions), more }
  },
  title: ({ language }, { ref }) => `${texts(language).discussions} – ${ref}`,
  view(visit, { ref, offset, comments, more }) {
    const path = addressOf(PATH, visit.params)
    return html`<p class="quiet"><a href="${addressOf(ITEM, visit.params)}">${ref}</a></p>
      <h1>${texts(visit.language).discussions}</h1>
      ${comments} ${pager(visit, { path, offset, size: PAGE, more })}`
  },
})

function commentList(visit: UserVisit, discussions: readonly Discussion[]): Promise<readonly Html[]> {
  const t = texts(visit.language)
  return Promise.all(
    discussions.map(
      async ({ author, kind, body, created_at: at }) =>
        html`<article class="card">
          <p class="quiet">
            ${author} · ${formatInstant(visit, at)} <span class="tag">${t.discussionKinds[kind]}</span>
          </p>
          ${await markdownView(visit, body, 3)}
        </article>`,
    ),
  )
}
