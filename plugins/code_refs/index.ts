import { defineJob, definePlugin, lazyContributions, Type } from 'tasuki/plugin'
import { itemHas } from '../items/points.ts'
import { auditActions } from './audit.ts'
import { codeLink, codeList, codeUnlink } from './commands.ts'
import { migrations } from './migrations/index.ts'
import { deleteDeliveries, isMentioned } from './reference.repository.ts'
import { routes } from './routes.ts'
import { settings } from './settings.ts'
import { codeRefsGet } from './tools/code_refs_get.ts'

export { HOSTS, linkRepository, unlinkRepository, type HostName } from './links.ts'
export { codeRefsGet }

/** Hosts send a delivery again within days; after these 30 its id need not be known. */
const KNOWN_MS = 30 * 24 * 3600 * 1000

const forget = defineJob({
  name: 'code_refs.forget',
  schedule: '41 3 * * *',
  payload: Type.Object({}),
  async run(ctx) {
    await deleteDeliveries(ctx, new Date(ctx.now.getTime() - KNOWN_MS))
  },
})

export const plugin = definePlugin({
  name: 'code_refs',
  version: '0.1.0',
  api: 1,
  group: 'code_refs',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['portal'],
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  jobs: [forget],
  auditActions,
  commands: [codeLink, codeList, codeUnlink],
  tools: [codeRefsGet],
  contributes: [
    itemHas({ value: 'code_ref', summary: 'commits or pull requests', sql: ({ ctx }) => isMentioned(ctx) }),
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
  routes,
})
