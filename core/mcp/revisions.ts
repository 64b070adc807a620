/** One revision of the Model Context Protocol and what differs in it for this server. */
export interface Revision {
  readonly name: string
  /** Legacy revisions open with `initialize`; modern ones carry everything in each request. */
  readonly era: 'legacy' | 'modern'
  readonly status: 'latest' | 'current' | 'deprecated'
  /** JSON-RPC batches exist in 2025-03-26 alone. */
  readonly batches: boolean
  /** Whether the client can be asked for input by a form. */
  readonly elicitation: boolean
  /** Whether the client can be asked to send its user to a page. */
  readonly pages: boolean
  /** Whether a missing scope is answered by HTTP 403 with a challenge; older clients get an error result. */
  readonly scopeChallenge: boolean
  readonly resourceLinks: boolean
  /** Whether servers have icons, a description and a website. */
  readonly icons: boolean
  /** UTC date since when it is deprecated. */
  readonly deprecatedOn?: string
  /** UTC date from which it is refused like an unknown one. */
  readonly sunsetOn?: string
}

/** Every revision the server knows, newest first: the one table that decides. */
export const REVISIONS: readonly Revision[] = [
  {
    name: '2026-07-28',
    era: 'modern',
    status: 'current',
    batches: false,
    elicitation: true,
    pages: true,
    scopeChallenge: true,
    resourceLinks: true,
    icons: true,
  },
  {
    name: '2025-11-25',
    era: 'legacy',
    status: 'latest',
    batches: false,
    elicitation: true,
    pages: true,
    scopeChallenge: true,
    resourceLinks: true,
    icons: true,
  },
  {
    name: '2025-06-18',
    era: 'legacy',
    status: 'current',
    batches: false,
    elicitation: true,
    pages: false,
    scopeChallenge: false,
    resourceLinks: true,
    icons: false,
  },
  {
    name: '2025-03-26',
    era: 'legacy',
    status: 'deprecated',
    batches: true,
    elicitation: false,
    pages: false,
    scopeChallenge: false,
    resourceLinks: false,
    icons: false,
    // The day on which the revision recommended in its place was published.
    deprecatedOn: '2025-11-25',
    sunsetOn: '2026-12-01',
  },
]

/** The table as it stands at the moment of the question. */
export interface Revisions {
  /** Undefined when the revision is unknown or past its sunset. */
  find(name: string): Revision | undefined
  /** Names of the served revisions, newest first. */
  served(era?: Revision['era']): readonly string[]
  /** What a request without a version header is taken to speak: 2025-03-26 by the protocol, later the oldest one served. */
  withoutHeader(): Revision
  /** What is offered to a client whose `initialize` asks for a revision that is not served. */
  newestLegacy(): Revision
}

export function revisionTable(now: () => Date, table: readonly Revision[] = REVISIONS): Revisions {
  const sunsets = table.map(({ sunsetOn }) => (sunsetOn === undefined ? Infinity : Date.parse(sunsetOn)))
  const byName = new Map(table.map((revision, index) => [revision.name, index]))
  const isServed = (index: number): boolean => sunsets[index] === Infinity || now().getTime() < sunsets[index]!
  const served = (): readonly Revision[] => table.filter((_, index) => isServed(index))
  return {
    find(name) {
      const index = byName.get(name)
      return index !== undefined && isServed(index) ? table[index] : undefined
    },
    served: era => served().flatMap(revision => (era === undefined || revision.era === era ? [revision.name] : [])),
    withoutHeader: () => served().findLast(revision => revision.era === 'legacy')!,
    newestLegacy: () => served().find(revision => revision.era === 'legacy')!,
  }
}

/** Headers that tell of a deprecated revision: `Deprecation` (RFC 9745) and `Sunset` (RFC 8594); null for any other. */
export function lifecycleHeaders(revision: Revision): Readonly<Record<string, string>> | null {
  return lifecycles.get(revision) ?? null
}
const lifecycles = new Map(
  REVISIONS.flatMap(revision => {
    const { deprecatedOn, sunsetOn } = revision
    if (deprecatedOn === undefined) return []
    const headers: Record<string, string> = { deprecation: `@${Date.parse(deprecatedOn) / 1000}` }
    if (sunsetOn !== undefined) headers['sunset'] = new Date(sunsetOn).toUTCString()
    return [[revision, headers] as const]
  }),
)
