import { createHmac, randomUUID } from 'node:crypto'
import { after, before } from 'node:test'
import { testHost, type Engine, type TestHost } from 'tasuki/testing'

export interface Link {
  readonly id: string
  readonly url: string
  readonly secret: string
}
type Json = Record<string, unknown>
type Signer = (body: string, secret: string) => Record<string, string>
const hmac = (body: string, secret: string): string => createHmac('sha256', secret).update(body).digest('hex')
export const SIGNERS: Record<string, Signer> = {
  github: (body, secret) => ({ 'x-hub-signature-256': `sha256=${hmac(body, secret)}` }),
  gitea: (body, secret) => ({ 'x-gitea-signature': hmac(body, secret) }),
  gitlab: (_body, secret) => ({ 'x-gitlab-token': secret }),
  bitbucket: (body, secret) => ({ 'x-hub-signature': `sha256=${hmac(body, secret)}` }),
}
const EVENTS: Record<string, { push: Record<string, string>; request: Record<string, string> }> = {
  github: { push: { 'x-github-event': 'push' }, request: { 'x-github-event': 'pull_request' } },
  gitea: { push: { 'x-gitea-event': 'push' }, request: { 'x-gitea-event': 'pull_request' } },
  gitlab: { push: { 'x-gitlab-event': 'Push Hook' }, request: { 'x-gitlab-event': 'Merge Request Hook' } },
  bitbucket: { push: { 'x-event-key': 'repo:push' }, request: { 'x-event-key': 'pullrequest:updated' } },
}

const HASH = (): string => randomUUID().replaceAll('-', '')

/** Makes the payload of a push of commits to a branch. */
export function push(kind: string, messages: readonly string[], branch = 'main', hash = HASH): Json {
  const at = '2026-05-01T10:00:00+09:00'
  const commits = messages.map(message => {
    const id = hash()
    const url = `https://code.example/${id}`
    return kind === 'bitbucket'
      ? { hash: id, message, date: at, author: { raw: 'Ann <ann@example.com>' }, links: { html: { href: url } } }
      : { id, message, url, author: { name: 'Ann' }, timestamp: at }
  })
  return kind === 'bitbucket'
    ? { push: { changes: [{ new: { type: 'branch', name: branch }, commits }] } }
    : { ref: `refs/heads/${branch}`, commits }
}

export interface Request {
  readonly title: string
  readonly state?: 'open' | 'draft' | 'merged'
  readonly at?: string
  readonly branch?: string
}

/** Makes the payload of a change to pull request 5. */
export function request(
  kind: string,
  { title, state = 'open', at = '2026-05-02T10:00:00Z', branch = 'fix' }: Request,
): Json {
  const url = 'https://code.example/5'
  const [merged, draft] = [state === 'merged', state === 'draft']
  if (kind === 'gitlab') {
    const state = merged ? 'merged' : 'opened'
    const updated_at = at.replace('T', ' ').replace('Z', ' UTC')
    const attributes = { iid: 5, title, description: '', url, state, draft, source_branch: branch, updated_at }
    return { user: { username: 'ann' }, object_attributes: attributes }
  }
  if (kind === 'bitbucket') {
    const [author, source] = [{ nickname: 'ann' }, { branch: { name: branch } }]
    const links = { html: { href: url } }
    const state = merged ? 'MERGED' : 'OPEN'
    return { pullrequest: { id: 5, title, description: null, author, state, draft, source, links, updated_on: at } }
  }
  const [user, head] = [{ login: 'ann' }, { ref: branch }]
  const pull = { number: 5, title, body: null, html_url: url, user, merged, draft, head, updated_at: at }
  return { pull_request: { ...pull, state: merged ? 'closed' : 'open' } }
}

/** Opens a host with a project APP, and simulates code hosts. */
export function codeHost(engine: Engine) {
  const cleanups: (() => Promise<void> | void)[] = []
  let host: TestHost
  let repositories = 0
  before(async () => {
    host = await testHost(
      { after: work => void cleanups.unshift(work) },
      { engine, config: { plugins: { code_refs: {}, numbering: {}, project_admin: {} } } },
    )
    await host.command('project create', { key: 'APP', name: 'App', user: 'owner@example.com' })
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
  const link = async (kind: string, repository = `acme/${++repositories}`): Promise<Link> => {
    const { rows } = await host.command('code link', {
      project_key: 'APP',
      host: kind,
      repository,
      user: 'owner@example.com',
    })
    return rows![0] as unknown as Link
  }
  const item = async (): Promise<string> =>
    (await host.call('items_create', { project_key: 'APP', title: 'Fix it' })).item.ref
  const refsOf = async (ref: string) => (await host.call('code_refs_get', { item_ref: ref })).code_refs
  const post = ({ url }: Pick<Link, 'url'>, headers: Record<string, string>, payload: string) =>
    host.app.inject({ method: 'POST', url: new URL(url).pathname, headers, payload })
  /** Sends a payload as its code host does, as JSON or as a form. */
  const send = (kind: string, link: Link, event: 'push' | 'request', payload: object, form = false) => {
    const json = JSON.stringify(payload)
    const body = form ? new URLSearchParams({ payload: json }).toString() : json
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    return post(link, { 'content-type': type, ...EVENTS[kind]![event], ...SIGNERS[kind]!(body, link.secret) }, body)
  }
  return { host: () => host, link, item, refsOf, post, send }
}
