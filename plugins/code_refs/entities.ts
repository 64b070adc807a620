import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { recordOfProject } from '../projects/entities.ts'

/** A repository that a project is linked to. */
const LinkSchema = defineTable('code_refs.links', {
  properties: {
    ...recordOfProject,
    host: p.enum(['github', 'gitlab', 'gitea'] as const),
    repository: p.text(),
    /** The webhook secret, encrypted with a key of the deployment. */
    secret: p.text(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'links_unique', properties: ['ownerId', 'project', 'host', 'repository'] }],
})
export class CodeLink extends LinkSchema.class {}
LinkSchema.setClass(CodeLink)

/** Deliveries that were taken, so that one that is sent again counts once. */
const DeliverySchema = defineTable('code_refs.deliveries', {
  properties: {
    ownerId: p.uuid().primary(),
    link: () => belongsTo(CodeLink, 'link_id').primary(),
    delivery: p.text().primary(),
    receivedAt: p.datetime(),
  },
  indexes: [{ name: 'deliveries_received', properties: ['receivedAt'] }],
})

/** A commit or pull request that mentions an item. */
const ReferenceSchema = defineTable('code_refs.references', {
  properties: {
    ...itemKey,
    link: () => belongsTo(CodeLink, 'link_id').primary(),
    kind: p.enum(['commit', 'pull_request'] as const).primary(),
    /** Hash of a commit, number of a pull request. */
    externalId: p.text().primary(),
    title: p.text(),
    url: p.text(),
    author: p.text().nullable(),
    /** Of pull requests: open, merged or closed. */
    state: p.text().nullable(),
    branch: p.text().nullable(),
    occurredAt: p.datetime(),
  },
})

export const entities = [LinkSchema, DeliverySchema, ReferenceSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'code_refs', typeof entities> {}
}
