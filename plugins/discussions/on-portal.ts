import { ITEM, portalForms, portalPages } from '../portal/index.ts'
import { commentForm, commentsPage, commentsPanel } from './portal/comments.ts'
import { mentionTranslation } from './portal/mention.ts'

export const contributions = [
  commentsPanel,
  portalForms({ page: ITEM, form: commentForm }),
  portalPages(commentsPage),
  mentionTranslation,
]
