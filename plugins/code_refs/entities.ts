import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { recordOfProject } from '../projects/entities.ts'

/** A repository that a project is linked to. */
export const CodeLink = defineTable('code_refs.links', {
  properties: {
    ...recordOfProject,
    host: p.enum(['github', 'gitlab', 'gitea', 'bitbucket'] as const),
    repository: p.text(),
    /** The host's own id of the repository, taken from its first payload: the name may change. */
    repositoryId: p.text().nullable(),
    /** The webhook secret, encrypted with a key of the deployment. */
    secret: p.text(),
    createdAt: p.datetime(),
  },
  uniques: [{ name: 'links_unique', properties: ['ownerId', 'project', 'host', 'repository'] }],
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
    /** For pull requests: draft, open, merged or closed. */
    state: p.text().nullable(),
    branch: p.text().nullable(),
    occurredAt: p.datetime(),
  },
})

/** A URL that a user added to an item. */
const UrlSchema = defineTable('code_refs.urls', {
  properties: { ...itemKey, url: p.text().primary(), title: p.text().nullable(), createdAt: p.datetime() },
})

export const entities = [CodeLink, ReferenceSchema, UrlSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'code_refs', typeof entities> {}
}
