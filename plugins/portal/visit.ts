import type { FastifyReply, FastifyRequest } from 'fastify'
import { isUuid, ToolError } from 'tasuki/plugin'
import type { ExportedFile, HostServices, ReadContext, WriteContext } from 'tasuki/plugin'
import type { Body } from './fields.ts'
import type { Child } from './html.ts'
import { acceptedLanguage, isLanguage, type Language } from './language.ts'
import { proofFor } from './auth/csrf.ts'
import type { Session } from './auth/session.repository.ts'
import { findSession, PERSON } from './auth/sessions.ts'
import { readCookie, visitorId } from './auth/cookies.ts'

/** How pages look to somebody. */
export interface Look {
  readonly language: Language
  /** Null = as the browser prefers. */
  readonly theme: 'light' | 'dark' | null
}

/** Somebody at a page: what loaders, views and forms know of the request. */
export interface Visit extends Look {
  readonly services: HostServices
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly now: Date
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | undefined>>
  readonly session: Session | null
  /** The form that was refused, when its page is shown again. */
  readonly refused: RefusedForm | null
  /** Works for nobody in particular, as jobs do: for what comes before there is a session. */
  asSystem<T>(work: (ctx: WriteContext) => Promise<T>): Promise<T>
  /** Proves that a post to an address was asked for by a page that this browser was shown. */
  proof(address: string): string
}

/** A visit of somebody who is signed in. */
export interface UserVisit extends Visit {
  readonly session: Session
  /** Works as a reading tool does, for this person. */
  read<T>(work: (ctx: ReadContext) => Promise<T>): Promise<T>
  /** Works as a writing tool does, for this person: one transaction. */
  write<T>(work: (ctx: WriteContext) => Promise<T>): Promise<T>
  /** Everything that the person has. */
  exportData(): Promise<ExportedFile>
}

export interface RefusedForm {
  /** Where it was posted. */
  readonly address: string
  readonly body: Body
  /** What to show by field; the empty name is the form as a whole. */
  readonly problems: Readonly<Record<string, Child>>
  /** Labels of the fields that the page showed, by name; filled while it is made. */
  readonly labels: Map<string, string>
}

/** Finds out who is there. @param name what the work of this page is called in the history, for example `portal /settings` */
export async function openVisit(
  services: HostServices,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<Visit | UserVisit> {
  const session = await findSession(services, request)
  const visit = visitOf(services, request, reply, { session, name })
  visits.set(request, visit)
  if (session) services.audit.identify(request, { ...PERSON, userId: session.userId })
  return visit
}

const visits = new WeakMap<FastifyRequest, Visit | UserVisit>()

/** The visit that was opened for a request, or one of nobody where it did not come to that. */
export function knownVisit(
  services: HostServices,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Visit | UserVisit {
  return visits.get(request) ?? visitOf(services, request, reply, { session: null, name })
}

function visitOf(
  services: HostServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, name }: { readonly session: Session | null; readonly name: string },
): Visit | UserVisit {
  const visit: Visit = {
    services,
    request,
    reply,
    ...lookFor(services, request, session),
    now: services.now(),
    params: storable((request.params ?? {}) as Record<string, string>),
    query: storable(firstOfEach(request.query as Record<string, unknown>)),
    session,
    refused: null,
    asSystem: work => services.write({ userId: null, name, requestId: request.id, address: request.ip }, work),
    proof: address => proofFor(services, session?.id ?? visitorId(services, request, reply), address),
  }
  if (!session) return visit
  const call = {
    userId: session.userId,
    actor: PERSON,
    name,
    requestId: request.id,
    address: request.ip,
  }
  const user: UserVisit = {
    ...visit,
    session,
    read: work => services.read(call, work),
    write: work => services.write(call, work),
    exportData: () => services.exportUser(call, { id: session.userId, email: session.email }),
  }
  return user
}

/** As the person chose for themselves, else for this browser, else as the browser says. */
export function lookFor(services: HostServices, request: FastifyRequest, session: Session | null): Look {
  const chosen = [session?.language, readCookie(services, request, 'language')].find(isLanguage)
  return {
    language: chosen ?? acceptedLanguage(request.headers['accept-language']),
    theme: session?.theme ?? null,
  }
}

/** The id that an address names. @throws ToolError not_found for what is none */
export function idOf(params: Visit['params']): string {
  const { id = '' } = params
  if (!isUuid(id)) throw new ToolError('not_found', 'There is nothing with this id.', { field: 'id' })
  return id
}

export function isSignedIn(visit: Visit): visit is UserVisit {
  return visit.session !== null
}

/** PostgreSQL has no texts with a NUL: an address with one is an address of nothing. */
function storable<T extends string | undefined>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value?.replaceAll('\0', '\ufffd') as T]),
  )
}

function firstOfEach(query: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? String(value[0]) : String(value)]),
  )
}
