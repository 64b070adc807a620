/** Headers of a request, by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A commit or pull request as a host told of it. */
export interface CodeChange {
  readonly kind: 'commit' | 'pull_request'
  readonly externalId: string
  readonly title: string
  readonly url: string
  readonly author: string | null
  readonly state: string | null
  readonly branch: string | null
  /** ISO 8601. */
  readonly occurredAt: string | null
  /** Where mentions are looked for. */
  readonly texts: readonly string[]
}

/** How the webhooks of one kind of host are checked and read. */
export interface CodeHost {
  /** Whether the sender knows the secret. */
  authentic(headers: Headers, body: Buffer, secret: string): boolean
  /** Id by which a delivery that is sent again is known. */
  delivery(headers: Headers): string | null
  /** The changes that a payload tells of; none for events that are of no interest. */
  changes(headers: Headers, payload: Json): readonly CodeChange[]
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

/** Commits that one delivery may tell of. */
const MOST_COMMITS = 500

/** Reads the commits of a push; the three hosts agree on their shape. */
export function pushed(payload: Json): CodeChange[] {
  const ref = text(payload['ref'])
  return list(payload['commits'])
    .slice(0, MOST_COMMITS)
    .flatMap(commit => {
      const [id, message, url] = [text(commit['id']), text(commit['message']), text(commit['url'])]
      if (!id || message === null || !url) return []
      const author = object(commit['author'])
      return [
        {
          kind: 'commit' as const,
          externalId: id,
          title: message.split('\n', 1)[0]!,
          url,
          author: text(author['username']) ?? text(author['name']),
          state: null,
          branch: ref?.replace(/^refs\/(heads|tags)\//, '') ?? null,
          occurredAt: text(commit['timestamp']),
          texts: [message],
        },
      ]
    })
}

/** A pull request from its parts; null when it is not whole. */
export function pullRequest(
  parts: Omit<CodeChange, 'kind' | 'texts' | 'externalId' | 'title' | 'url'> & {
    readonly [K in 'externalId' | 'title' | 'url' | 'body']: string | null
  },
): CodeChange[] {
  const { externalId, title, url, body, ...rest } = parts
  if (!externalId || title === null || !url) return []
  const texts = [title, body, rest.branch].filter(each => each !== null)
  return [{ ...rest, kind: 'pull_request', externalId, title, url, texts }]
}
