import { anyOf, definePlugin, lazyContributions } from 'tasuki/plugin'
import { itemHas } from '../items/points.ts'
import * as auditActions from './audit.ts'
import { codeLink, codeList, codeUnlink } from './commands.ts'
import { migrations } from './migrations/index.ts'
import { exportCode } from './on-transfer.ts'
import { isMentioned } from './reference.repository.ts'
import { routes } from './routes.ts'
import { settings } from './settings.ts'
import { hasUrl } from './url.repository.ts'
import { codeRefsGet } from './tools/code_refs_get.ts'

export type {} from './entities.ts'
export { linkRepository } from './links.ts'
export { addUrl, codeRef, removeUrl, urlParam } from './url.ts'

export const plugin = definePlugin({
  name: 'code_refs',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['portal', 'transfer'],
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  auditActions: Object.values(auditActions),
  commands: [codeLink, codeList, codeUnlink],
  tools: [codeRefsGet],
  contributes: [
    exportCode,
    itemHas({
      value: 'code_ref',
      summary: 'commits, pull requests or links',
      sql: ({ ctx }) => anyOf([isMentioned(ctx), hasUrl]),
    }),
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
  routes,
})
