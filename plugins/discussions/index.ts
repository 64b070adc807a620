import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { migrations } from './migrations/index.ts'
import { discussionParent } from './on-attachments.ts'
import { onItems } from './on-items.ts'
import { exportComments, importComments } from './on-transfer.ts'
import { discussionsCreate } from './tools/discussions_create.ts'
import { discussionsDelete } from './tools/discussions_delete.ts'
import { discussionsList } from './tools/discussions_list.ts'
import { discussionsPatch } from './tools/discussions_patch.ts'

export type {} from './entities.ts'
export type { FoundDiscussion } from './discussion.repository.ts'
export type { Discussion } from './discussion.ts'

export const plugin = definePlugin({
  name: 'discussions',
  dependsOn: ['projects', 'items', 'workspace'],
  optionalDependsOn: ['attachments', 'portal', 'transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [discussionsList, discussionsCreate, discussionsPatch, discussionsDelete],
  contributes: [
    ...onItems,
    discussionParent,
    exportComments,
    importComments,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
