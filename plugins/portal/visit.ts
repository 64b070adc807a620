import type { FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { isUuid, ToolError, type ExportedFile, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { HttpContext, HttpRequest } from './http-context.ts'
import type { Body } from './fields.ts'
import type { Child } from './html.ts'
import { negotiateLanguage, isLanguage, type Language } from './language.ts'
import { createCsrfToken } from './auth/csrf.ts'
import type { Session } from './auth/session.repository.ts'
import { findSession, PERSON } from './auth/sessions.ts'
import { readCookie, visitorId } from './auth/cookies.ts'

/** The language and theme of a page. */
export interface Look {
  readonly language: Language
  /** Null = the browser's setting. */
  readonly theme: 'light' | 'dark' | null
}

/** A request for a page, with everything that loaders, views and forms need. */
export interface Visit extends Look, HttpContext {
  readonly now: Date
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | undefined>>
  readonly session: Session | null
  /** Differs from page to page, also when the same one is loaded again. */
  readonly pageId: string
  /** The rejected form whose page is shown again. */
  readonly refused: RefusedForm | null
  /** Runs a write without a user, as jobs do: for everything before there is a session. */
  asSystem<T>(work: (ctx: WriteContext) => Promise<T>): Promise<T>
  /** Returns the proof that this browser requested a post to a path from a page. */
  proof(address: string): string
}

/** A visit of a signed-in user. */
export interface UserVisit extends Visit {
  readonly session: Session
  /** Runs a read for this user, as a reading tool does. */
  read<T>(work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** Runs a read for a later part of a long answer. @throws ToolError forbidden if the session has ended since */
  readWhileSignedIn<T>(work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** Runs a write for this user in one transaction, as a writing tool does. */
  write<T>(work: (ctx: WriteContext) => Promise<T>): Promise<T>
  exportData(): Promise<ExportedFile>
}

export interface RefusedForm {
  /** The path of the post. */
  readonly address: string
  readonly body: Body
  /** Problems by field; the empty name is the whole form. */
  readonly problems: Readonly<Record<string, Child>>
  /** Labels of the page's fields by name, collected during rendering. */
  readonly labels: Map<string, string>
}

/** Opens the visit of a request and finds its session. @param name of the page's work in the history, for example `portal /settings` */
export async function openVisit(http: HttpContext, name: string): Promise<Visit | UserVisit> {
  const { services, request } = http
  const session = await findSession(http)
  const visit = visitOf(http, session, name)
  visits.set(request, visit)
  if (session) services.audit.identify(request, { ...PERSON, userId: session.userId })
  return visit
}

const visits = new WeakMap<FastifyRequest, Visit | UserVisit>()

/** Returns the visit opened for a request, or an anonymous one. */
export function findOpenVisit(http: HttpContext, name: string): Visit | UserVisit {
  return visits.get(http.request) ?? visitOf(http, null, name)
}

function visitOf(http: HttpContext, session: Session | null, name: string): Visit | UserVisit {
  const { services, request } = http
  const visit: Visit = {
    ...http,
    ...lookFor(http, session),
    now: services.now(),
    params: replaceNul((request.params ?? {}) as Record<string, string>),
    query: replaceNul(firstValues(request.query as Record<string, unknown>)),
    session,
    pageId: randomBytes(6).toString('base64url'),
    refused: null,
    asSystem: work => services.write({ userId: null, name, requestId: request.id, address: request.ip }, work),
    proof: address => createCsrfToken(services, session?.id ?? visitorId(http), address),
  }
  if (!session) return visit
  const call = { userId: session.userId, actor: PERSON, name, requestId: request.id, address: request.ip }
  const user: UserVisit = {
    ...visit,
    session,
    read: work => services.read(call, work),
    async readWhileSignedIn(work) {
      if (!(await findSession(http))) throw new ToolError('forbidden', 'The session has ended.')
      return services.read(call, work)
    },
    write: work => services.write(call, work),
    exportData: () => services.exportUser(call, { id: session.userId, email: session.email }),
  }
  return user
}

/** Returns the look of pages: the user's settings, else this browser's, else the browser's own. */
export function lookFor(http: HttpRequest, session: Session | null): Look {
  const chosen = [session?.language, readCookie(http, 'language')].find(isLanguage)
  const language = chosen ?? negotiateLanguage(http.request.headers['accept-language'])
  return { language, theme: session?.theme ?? null }
}

/** Returns the id in a path. @throws ToolError not_found for an invalid id */
export function idOf(params: Visit['params']): string {
  const { id = '' } = params
  if (!isUuid(id)) throw new ToolError('not_found', 'There is nothing with this id.', { field: 'id' })
  return id
}

export function isSignedIn(visit: Visit): visit is UserVisit {
  return visit.session !== null
}

/** PostgreSQL cannot store NUL, so a path that contains one names nothing. */
function replaceNul<T extends string | undefined>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value?.replaceAll('\0', '\ufffd') as T]),
  )
}

function firstValues(query: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? String(value[0]) : String(value)]),
  )
}
