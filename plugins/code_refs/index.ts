import { defineJob, definePlugin, sql, Type } from 'tasuki/plugin'
import { itemHas } from '../items/points.ts'
import { codeLink, codeList, codeUnlink } from './commands.ts'
import { migrations } from './migrations/index.ts'
import { routes } from './routes.ts'
import { codeRefsGet } from './tools/code_refs_get.ts'

export { HOSTS, linkRepository, readLinks, unlinkRepository, type HostName, type LinkRow } from './links.ts'
export { codeRefsGet }

const any = sql<boolean>`exists (select from code_refs.references cr where cr.owner_id = i.owner_id and cr.item_id = i.id)`

/** Hosts send a delivery again within days; after that its id need not be known. */
const forget = defineJob({
  name: 'code_refs.forget',
  schedule: '41 3 * * *',
  payload: Type.Object({}),
  async run(ctx) {
    await sql`delete from code_refs.deliveries where received_at < ${ctx.now}::timestamptz - interval '30 days'`.execute(
      ctx.db,
    )
  },
})

export const plugin = definePlugin({
  name: 'code_refs',
  version: '0.1.0',
  api: 1,
  group: 'code_refs',
  dependsOn: ['projects', 'items'],
  entities: () => import('./entities.ts'),
  migrations,
  jobs: [forget],
  commands: [codeLink, codeList, codeUnlink],
  tools: [codeRefsGet],
  contributes: [itemHas({ value: 'code_ref', summary: 'commits or pull requests', sql: () => any })],
  routes,
})
