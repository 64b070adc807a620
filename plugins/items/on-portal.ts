import { portalPages } from '../portal/index.ts'
import { boardPage } from './portal/board.ts'
import { editPage } from './portal/edit.ts'
import { itemPage } from './portal/item.ts'
import { kindsPage } from './portal/kinds.ts'
import { movePage } from './portal/move.ts'
import { revisionPage, revisionsPage } from './portal/revisions.ts'

export const contributions = [boardPage, itemPage, editPage, movePage, revisionsPage, revisionPage, kindsPage].map(
  page => portalPages(page),
)
