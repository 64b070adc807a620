import { definePlugin } from 'tasuki/plugin'
import { conversationsConfig } from './config.ts'
import { digests } from './digest.ts'
import { reindexTexts } from './indexing.ts'
import { migrations } from './migrations/index.ts'
import { messageParent } from './on-attachments.ts'
import { bindPlan } from './on-notes.ts'
import { onSearch } from './on-search.ts'
import { onWorkspace } from './on-workspace.ts'
import { closeIdleThreads, deleteOldConversations } from './retention.ts'
import { routes } from './routes.ts'

export type {} from './entities.ts'

export const plugin = definePlugin({
  name: 'conversations',
  compatibleFrom: '0.1.0',
  group: 'workspace',
  dependsOn: ['projects', 'items', 'workspace'],
  optionalDependsOn: ['attachments', 'notes', 'search'],
  config: conversationsConfig,
  entities: () => import('./entities.ts'),
  migrations,
  jobs: [closeIdleThreads, deleteOldConversations, reindexTexts],
  contributes: [digests, bindPlan, messageParent, ...onSearch, ...onWorkspace],
  routes,
})
