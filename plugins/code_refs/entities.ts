import { defineEntity, p } from 'tasuki/entities'
import { Item } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'

/** A repository that a project is linked to. */
const LinkSchema = defineEntity({
  name: 'CodeLink',
  schema: 'code_refs',
  tableName: 'links',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    project: () =>
      p
        .manyToOne(Project)
        .joinColumns('owner_id', 'project_id')
        .ownColumns('project_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    host: p.enum(['github', 'gitlab', 'gitea'] as const),
    repository: p.string().columnType('text'),
    /** The webhook secret, encrypted with a key of the deployment. */
    secret: p.string().columnType('text'),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'links_unique', properties: ['ownerId', 'project', 'host', 'repository'] }],
})
export class CodeLink extends LinkSchema.class {}
LinkSchema.setClass(CodeLink)

/** Deliveries that were taken, so that one that is sent again counts once. */
const DeliverySchema = defineEntity({
  name: 'CodeDelivery',
  schema: 'code_refs',
  tableName: 'deliveries',
  properties: {
    ownerId: p.uuid().primary(),
    link: () =>
      p
        .manyToOne(CodeLink)
        .primary()
        .joinColumns('owner_id', 'link_id')
        .ownColumns('link_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    delivery: p.string().columnType('text').primary(),
    receivedAt: p.datetime(),
  },
  indexes: [{ name: 'deliveries_received', properties: ['receivedAt'] }],
})

/** A commit or pull request that mentions an item. */
const ReferenceSchema = defineEntity({
  name: 'CodeReference',
  schema: 'code_refs',
  tableName: 'references',
  properties: {
    ownerId: p.uuid().primary(),
    item: () =>
      p
        .manyToOne(Item)
        .primary()
        .joinColumns('owner_id', 'item_id')
        .ownColumns('item_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    link: () =>
      p
        .manyToOne(CodeLink)
        .primary()
        .joinColumns('owner_id', 'link_id')
        .ownColumns('link_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    kind: p.enum(['commit', 'pull_request'] as const).primary(),
    /** Hash of a commit, number of a pull request. */
    externalId: p.string().columnType('text').primary(),
    title: p.string().columnType('text'),
    url: p.string().columnType('text'),
    author: p.string().columnType('text').nullable(),
    /** Of pull requests: open, merged or closed. */
    state: p.string().columnType('text').nullable(),
    branch: p.string().columnType('text').nullable(),
    occurredAt: p.datetime(),
  },
})

export const entities = [LinkSchema, DeliverySchema, ReferenceSchema]
