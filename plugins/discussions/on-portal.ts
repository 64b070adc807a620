import { ITEM, portalForms, portalPages } from '../portal/index.ts'
import { commentForm, commentsPage, commentsPanel, deleteForm } from './portal/comments.ts'
import { editCommentPage } from './portal/edit-comment.ts'
import { mentionTranslation } from './portal/mention.ts'

export const contributions = [
  commentsPanel,
  ...[commentForm, deleteForm].map(form => portalForms({ page: ITEM, form })),
  ...[commentsPage, editCommentPage].map(page => portalPages(page)),
  mentionTranslation,
]
