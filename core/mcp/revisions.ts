/** A revision of the Model Context Protocol, with the differences that matter to this server. */
export interface Revision {
  readonly name: string
  /** Legacy revisions start with `initialize`; modern ones carry everything in each request. */
  readonly era: 'legacy' | 'modern'
  readonly status: 'latest' | 'current' | 'deprecated'
  /** Whether JSON-RPC batches are allowed; only in 2025-03-26. */
  readonly batches: boolean
  /** Whether the client can be asked for input with a form. */
  readonly elicitation: boolean
  /** Whether the client can be asked to open a page for its user. */
  readonly pages: boolean
  /** Whether a missing scope is answered with HTTP 403 and a challenge; otherwise with an error result. */
  readonly scopeChallenge: boolean
  readonly resourceLinks: boolean
  /** Whether server info has icons, a description and a website. */
  readonly icons: boolean
  /** UTC date of the deprecation. */
  readonly deprecatedOn?: string
  /** UTC date from which the revision is rejected as unknown. */
  readonly sunsetOn?: string
}

const NEWEST = {
  batches: false,
  elicitation: true,
  pages: true,
  scopeChallenge: true,
  resourceLinks: true,
  icons: true,
}
const BEFORE_ICONS = { ...NEWEST, pages: false, scopeChallenge: false, icons: false }
const WITH_BATCHES = { ...BEFORE_ICONS, batches: true, elicitation: false, resourceLinks: false }

/** All supported revisions, newest first. */
export const REVISIONS: readonly Revision[] = [
  { name: '2026-07-28', era: 'modern', status: 'current', ...NEWEST },
  { name: '2025-11-25', era: 'legacy', status: 'latest', ...NEWEST },
  { name: '2025-06-18', era: 'legacy', status: 'current', ...BEFORE_ICONS },
  // Deprecated on the publication date of the revision that replaces it.
  {
    name: '2025-03-26',
    era: 'legacy',
    status: 'deprecated',
    ...WITH_BATCHES,
    deprecatedOn: '2025-11-25',
    sunsetOn: '2026-12-01',
  },
]

/** The revisions that are served at the time of a call. */
export interface Revisions {
  /** Returns undefined if the revision is unknown or past its sunset. */
  find(name: string): Revision | undefined
  /** Lists the names of the served revisions, newest first. */
  served(era?: Revision['era']): readonly string[]
  /** Returns the revision of requests without a version header: the oldest legacy revision served, which is 2025-03-26 until its sunset. */
  withoutHeader(): Revision
  /** Returns the revision offered to a client whose `initialize` requests an unsupported one. */
  newestLegacy(): Revision
}

export function revisionTable(now: () => Date): Revisions {
  const isServed = ({ sunsetOn }: Revision): boolean => sunsetOn === undefined || now().getTime() < Date.parse(sunsetOn)
  const served = (): readonly Revision[] => REVISIONS.filter(isServed)
  return {
    find: name => REVISIONS.find(revision => revision.name === name && isServed(revision)),
    served: era => served().flatMap(revision => (era === undefined || revision.era === era ? [revision.name] : [])),
    withoutHeader: () => served().findLast(revision => revision.era === 'legacy')!,
    newestLegacy: () => served().find(revision => revision.era === 'legacy')!,
  }
}

/** Returns the headers of a deprecated revision, `Deprecation` (RFC 9745) and `Sunset` (RFC 8594); null for other revisions. */
export function lifecycleHeaders({ deprecatedOn, sunsetOn }: Revision): Readonly<Record<string, string>> | null {
  if (deprecatedOn === undefined) return null
  const deprecation = { deprecation: `@${Date.parse(deprecatedOn) / 1000}` }
  return sunsetOn === undefined ? deprecation : { ...deprecation, sunset: new Date(sunsetOn).toUTCString() }
}
