/** Headers of a request, by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A commit or pull request as a host reports it. */
export interface CodeChange {
  readonly kind: 'commit' | 'pull_request'
  readonly externalId: string
  readonly title: string
  readonly url: string
  readonly author: string | null
  /** For pull requests: draft, open, merged or closed. */
  readonly state: string | null
  /** May mention items, too. */
  readonly branch: string | null
  /** ISO 8601. */
  readonly occurredAt: string | null
  /** The texts that may mention items. */
  readonly texts: readonly string[]
}

/** The repository of a payload. */
export interface CodeRepository {
  /** The host's own id, which survives a rename. */
  readonly id: string | null
  /** Owner and name. */
  readonly name: string
}

/** Verifies and reads the webhooks of one kind of host. */
export interface CodeHost {
  /** Returns whether the sender knows the secret. */
  authentic(headers: Headers, body: Buffer, secret: string): boolean
  /** Returns the changes in a payload; empty for irrelevant events. */
  changes(headers: Headers, payload: Json): readonly CodeChange[]
  /** Returns null if the payload names no repository. */
  repository(payload: Json): CodeRepository | null
}

export type Json = Readonly<Record<string, unknown>>

/** Payloads are untrusted: every value may be missing, of another type, or text that the database rejects. */
export function readObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}
export function readList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(readObject) : []
}
export function readText(value: unknown): string | null {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed()
  return typeof value === 'number' ? String(value) : null
}
/** Reads several texts of an object, by the names of its properties. */
export function readTexts<K extends string>(value: Json, names: Readonly<Record<K, string>>): Record<K, string | null> {
  const entries = Object.entries<string>(names).map(([key, name]) => [key, readText(value[name])])
  return Object.fromEntries(entries) as Record<K, string | null>
}
export function readHeader(headers: Headers, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

/** Reads a repository from a property: its name and id. */
export function repositoryOf(value: unknown, name: string, id = 'id'): CodeRepository | null {
  const found = readObject(value)
  const full = readText(found[name])
  return full ? { name: full, id: readText(found[id]) } : null
}

/** Reads the commits of a push; GitHub, GitLab and Gitea use the same structure. */
export function readPush(payload: Json): CodeChange[] {
  const branch = readText(payload['ref'])?.replace(/^refs\/(heads|tags)\//, '') ?? null
  return readList(payload['commits']).flatMap(commit => {
    const author = readObject(commit['author'])
    return readCommit({
      ...readTexts(commit, { externalId: 'id', message: 'message', url: 'url', occurredAt: 'timestamp' }),
      author: readText(author['username']) ?? readText(author['name']),
      branch,
    })
  })
}

type Parts<K extends string> = Omit<CodeChange, 'kind' | 'texts' | 'externalId' | 'title' | 'url' | 'state'> & {
  readonly [P in K | 'externalId' | 'url']: string | null
}

/** Returns the address if browsers would open it as a web page, else an empty text. Some hosts send relative addresses. */
function webAddress(url: string): string {
  return /^https?:$/.test(URL.parse(url, 'https://host.invalid')?.protocol ?? '') ? url : ''
}

/** Builds a commit from its parts; empty if a part is missing. */
export function readCommit({ externalId, message, url, ...rest }: Parts<'message'>): CodeChange[] {
  if (!externalId || message === null || !url) return []
  const title = message.split('\n', 1)[0]!
  return [{ ...rest, kind: 'commit', state: null, externalId, title, url: webAddress(url), texts: [message] }]
}

/** Builds a pull request from its parts; empty if a part is missing. */
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
  return [{ ...rest, state, kind: 'pull_request', externalId, title, url: webAddress(url), texts: [title, body ?? ''] }]
}
