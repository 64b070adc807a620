import { clip, findJsonProblem, firstCharacters } from 'tasuki/worker'
import { bitbucket } from './hosts/bitbucket.ts'
import { readObject, type CodeChange, type CodeHost, type CodeRepository, type Headers } from './hosts/delivery.ts'
import { gitea } from './hosts/gitea.ts'
import { github } from './hosts/github.ts'
import { gitlab } from './hosts/gitlab.ts'
import type { HostName } from './links.ts'
import { findNames } from './names.ts'

/** A request of a code host. */
export interface SentDelivery {
  readonly host: HostName
  readonly headers: Headers
  readonly body: Uint8Array
  /** The secret that the sender must know. */
  readonly secret: string
}

const HOSTS: Readonly<Record<HostName, CodeHost>> = { github, gitlab, gitea, bitbucket }
export const FORM = 'application/x-www-form-urlencoded'
/** More would need more memory than the thread has. It is a value per 25 bytes of the largest delivery; most are paths of files. */
const LIMITS = { depth: 64, values: 1_000_000 }
/** Changes that are stored together. */
const SET = 500

export interface Delivery {
  readonly repository: CodeRepository | null
  /** Sets of changes as JSON, which crosses threads faster than objects do. */
  readonly sets: readonly string[]
}

/** A change with the names of items that its texts mention, upper case. */
export type NamedChange = Omit<CodeChange, 'texts'> & { readonly names: readonly string[] }

/** Verifies and reads a delivery. @returns why it is refused */
export function readDelivery({ host, headers, body, secret }: SentDelivery): Delivery | 'unsigned' | 'unreadable' {
  const code = HOSTS[host]
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  if (!code.authentic(headers, bytes, secret)) return 'unsigned'
  const payload = parsePayload(bytes, String(headers['content-type'] ?? ''))
  if (payload === undefined) return 'unreadable'
  return deliveryOf(code.changes(headers, payload), code.repository(payload))
}

/** Divides the changes that matter into sets. */
export function deliveryOf(reported: readonly CodeChange[], repository: CodeRepository | null = null): Delivery {
  // A pull request that mentions nothing any more loses its references.
  const changes = reported.map(nameItems).filter(({ kind, names }) => kind === 'pull_request' || names.length > 0)
  const sets = Array.from({ length: Math.ceil(changes.length / SET) }, (_, n) =>
    JSON.stringify(changes.slice(n * SET, (n + 1) * SET)),
  )
  return { repository, sets }
}

/** Parses JSON, or the `payload` of a form; undefined if it is neither, or too complex. */
function parsePayload(body: Buffer, type: string) {
  const json = type.startsWith(FORM) ? Buffer.from(new URLSearchParams(body.toString()).get('payload') ?? '') : body
  if (findJsonProblem(json, LIMITS) !== null) return undefined
  try {
    return readObject(JSON.parse(json.toString()))
  } catch {
    return undefined
  }
}

/** Finds the names in the whole texts, and clips what is stored: hosts do not limit it. */
function nameItems({ texts, ...change }: CodeChange): NamedChange {
  const { externalId, title, url, author, state, branch } = change
  return {
    ...change,
    names: findNames({ texts, branch: branch && clip(branch, 300) }),
    externalId: firstCharacters(externalId, 200),
    title: clip(title, 300),
    url: firstCharacters(url, 2000),
    author: author && clip(author, 200),
    state: state && clip(state, 40),
    branch: branch && clip(branch, 300),
  }
}
