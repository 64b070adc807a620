/** Headers of a request, by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A commit or pull request as a host reports it. */
export interface CodeChange {
  readonly kind: 'commit' | 'pull_request'
  readonly externalId: string
  readonly title: string
  readonly url: string
  readonly author: string | null
  /** Of pull requests: draft, open, merged or closed. */
  readonly state: string | null
  /** Mentions are looked for in its name, too. */
  readonly branch: string | null
  /** ISO 8601. */
  readonly occurredAt: string | null
  /** Where mentions are looked for. */
  readonly texts: readonly string[]
}

/** The repository that a payload is about. */
export interface CodeRepository {
  /** What the host knows it by; stays when it is renamed. */
  readonly id: string | null
  /** Owner and name. */
  readonly name: string
}

/** How the webhooks of one kind of host are checked and read. */
export interface CodeHost {
  /** Whether the sender knows the secret. */
  authentic(headers: Headers, body: Buffer, secret: string): boolean
  /** The changes that a payload tells of; none for events that are of no interest. */
  changes(headers: Headers, payload: Json): readonly CodeChange[]
  /** Null where the payload names none. */
  repository(payload: Json): CodeRepository | null
}

export type Json = Readonly<Record<string, unknown>>

/** Payloads come from outside: everything in them may be missing, of another type, or text that no database keeps. */
export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}
export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(object) : []
}
export function text(value: unknown): string | null {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed()
  return typeof value === 'number' ? String(value) : null
}
export function header(headers: Headers, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

/** A repository that the property says: its name, and what it is known by. */
export function repositoryOf(value: unknown, name: string, id = 'id'): CodeRepository | null {
  const found = object(value)
  const full = text(found[name])
  return full ? { name: full, id: text(found[id]) } : null
}

/** Reads the commits of a push; GitHub, GitLab and Gitea agree on their shape. */
export function pushed(payload: Json): CodeChange[] {
  const branch = text(payload['ref'])?.replace(/^refs\/(heads|tags)\//, '') ?? null
  return list(payload['commits']).flatMap(commit => {
    const author = object(commit['author'])
    return pushedCommit({
      externalId: text(commit['id']),
      message: text(commit['message']),
      url: text(commit['url']),
      author: text(author['username']) ?? text(author['name']),
      branch,
      occurredAt: text(commit['timestamp']),
    })
  })
}

type Parts<K extends string> = Omit<CodeChange, 'kind' | 'texts' | 'externalId' | 'title' | 'url' | 'state'> & {
  readonly [P in K | 'externalId' | 'url']: string | null
}

/** A commit from its parts; none when it is not whole. */
export function pushedCommit({ externalId, message, url, ...rest }: Parts<'message'>): CodeChange[] {
  if (!externalId || message === null || !url) return []
  const title = message.split('\n', 1)[0]!
  return [{ ...rest, kind: 'commit', state: null, externalId, title, url, texts: [message] }]
}

/** A pull request from its parts; none when it is not whole. */
export function pullRequest({
  externalId,
  title,
  body,
  url,
  draft,
  ...rest
}: Parts<'title' | 'body' | 'state'> & { readonly draft: boolean }): CodeChange[] {
  if (!externalId || title === null || !url) return []
  const state = draft && rest.state === 'open' ? 'draft' : rest.state
  return [{ ...rest, state, kind: 'pull_request', externalId, title, url, texts: [title, body ?? ''] }]
}
