import { guarded, ToolError, Type, type Static, type WriteContext } from 'tasuki/plugin'
import { recordChanges, requireItem, requireItemUnchanged, toItemChange, toItemOfRow } from '../items/index.ts'
import { deleteUrl, upsertUrl } from './url.repository.ts'

export const codeRef = Type.Object({
  kind: Type.String(),
  host: Type.String(),
  repository: Type.String(),
  id: Type.String(),
  title: Type.String(),
  url: Type.String(),
  author: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  branch: Type.Optional(Type.String()),
  occurred_at: Type.String(),
  /** True if a user added it; absent otherwise. */
  added: Type.Optional(Type.Literal(true)),
})
export type CodeRef = Static<typeof codeRef>

/** A stored URL of an item. */
export interface StoredUrl {
  readonly url: string
  readonly title: string | null
  readonly created_at: string
}

/** Returns the parameter for a URL. */
export const urlParam = (description: string) =>
  guarded(Type.String({ description }), { minLength: 1, maxLength: 2000 })
/** Maximum number of URLs per item. */
const MAX_URLS = 100
/** `/acme/shop/pull/5`, `/acme/shop/-/merge_requests/5`, `/acme/shop/commit/4f2a9c0` and similar paths of the four hosts. */
const CODE = /^\/(.+?)(?:\/-)?\/(pull|pulls|merge_requests|pull-requests|commits?)\/([0-9a-f]{7,64}|\d+)(?=\/|$)/

/** Adds a URL to an item. @throws ToolError invalid_argument, limit_exceeded */
export async function addUrl(ctx: WriteContext, ref: string, address: string, title: string | null): Promise<CodeRef> {
  const url = readUrl(address)
  const item = await requireItem(ctx, ref, { write: true, lock: true })
  requireItemUnchanged(ctx, item)
  if (!(await upsertUrl(ctx, item, { url, title }, MAX_URLS)))
    throw new ToolError('limit_exceeded', `${ref} has ${MAX_URLS} links, which is the limit.`, {
      field: 'url',
      hint: 'Remove links from it first.',
      details: { limit: MAX_URLS },
    })
  const added = describeUrl({ url, title, created_at: ctx.now.toISOString() })
  const { kind, repository } = added
  await recordChanges(ctx, [
    toItemChange(toItemOfRow(item), 'code_ref.added', { to: { kind, title: added.title, url, repository } }),
  ])
  return added
}

/** Removes a URL from an item. @throws ToolError not_found */
export async function removeUrl(ctx: WriteContext, ref: string, address: string): Promise<string> {
  const url = readUrl(address)
  const item = await requireItem(ctx, ref, { write: true })
  if (!(await deleteUrl(ctx, item, url)))
    throw new ToolError('not_found', `${ref} has no such link that was added by hand.`, {
      field: 'url',
      hint: 'Give a url as code_refs_get returns it; those of webhooks follow their text.',
    })
  await recordChanges(ctx, [toItemChange(toItemOfRow(item), 'code_ref.removed', { from: { url } })])
  return url
}

/** Derives what a URL refers to from its parts. */
export function describeUrl({ url, title, created_at }: StoredUrl): CodeRef {
  const { hostname, pathname } = new URL(url)
  const [, repository = hostname, word = '', id = url] = CODE.exec(pathname) ?? []
  const kind = word === '' ? 'link' : word.startsWith('commit') ? 'commit' : 'pull_request'
  return { kind, host: hostname, repository, id, title: title ?? url, url, occurred_at: created_at, added: true }
}

function readUrl(address: string): string {
  const url = URL.parse(address.trim())
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && url.href.length <= 2000)
    return url.href
  throw new ToolError('invalid_argument', 'The address is no web address.', {
    field: 'url',
    hint: 'Give an address that begins with https:// or http://, without a user name, of at most 2000 characters.',
  })
}
