import { setTimeout as sleep } from 'node:timers/promises'
import type { TestHost } from 'tasuki/testing'
import { modernHeaders, modernMeta, rpc } from '../core/mcp/stub.ts'
import { ABSENT, MARKER, type Actor, type Pair } from './world.ts'

/** Longer than the interval in which the service collects changes. */
const QUIET_MS = 1500
const LONGEST_MS = 20_000

/** A subscription of an actor to updates. */
export interface Listening {
  /** URIs whose subscription the service accepted. */
  readonly accepted: readonly string[]
  /** URIs of the received updates. */
  receivedUris(): readonly string[]
  /** Waits until an update was received and no more follow. */
  quiet(): Promise<void>
  drop(): void
}

/** Without a port in the URL: with a port the service would have another origin, and apps would need other tokens. */
export async function listenAs({ app }: TestHost, token: string, uris: readonly string[]): Promise<Listening> {
  const notifications = { resourceSubscriptions: uris }
  const response = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { ...modernHeaders('subscriptions/listen'), host: 'localhost', authorization: `Bearer ${token}` },
    payload: rpc('subscriptions/listen', { notifications, _meta: modernMeta() }, 's'),
    payloadAsStream: true,
  })
  const stream = response.stream().setEncoding('utf8')
  const receivedUris: string[] = []
  let accepted: readonly string[] | undefined
  let last = performance.now()
  let text = ''
  stream.on('data', (chunk: string) => {
    const events = (text + chunk).split('\n\n')
    text = events.pop()!
    for (const data of events.flatMap(event => /^data: (.*)$/m.exec(event)?.[1] ?? [])) {
      const { params } = JSON.parse(data) as {
        params: { notifications?: { resourceSubscriptions: string[] }; uri?: string }
      }
      if (params.notifications) accepted = params.notifications.resourceSubscriptions
      if (params.uri !== undefined) receivedUris.push(params.uri)
    }
    last = performance.now()
  })
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    for (const end = performance.now() + LONGEST_MS; !holds(); await sleep(50))
      if (performance.now() > end) throw new Error(`${what}: HTTP ${response.statusCode} ${text}`)
  }
  await until('no acknowledgement', () => accepted !== undefined)
  return {
    accepted: accepted!,
    receivedUris: () => receivedUris,
    quiet: () => until('no update arrived', () => receivedUris.length > 0 && performance.now() - last > QUIET_MS),
    drop: () => void stream.destroy(),
  }
}

/** Returns resource URIs that name hidden records, and the same URIs with names that do not exist. */
export function recordAddresses(
  { registry }: TestHost,
  pairs: readonly Pair[],
): Readonly<Record<'hidden' | 'absent', readonly string[]>> {
  const templates = registry.resources.flatMap(({ uriTemplate = '' }) => (uriTemplate === '' ? [] : [uriTemplate]))
  const addresses = (of: (pair: Pair) => string, word: string): string[] =>
    templates.flatMap(template =>
      pairs.map(pair =>
        // A URI with several parts begins with the project.
        template.replaceAll(/\{(\w+)\}/g, (_, part: string) =>
          encodeURIComponent(/project/.test(part) && template.includes('}/{') ? word.toUpperCase() : of(pair)),
        ),
      ),
    )
  return { hidden: addresses(({ hidden }) => hidden, MARKER), absent: addresses(({ absent }) => absent, ABSENT) }
}

/** Returns the answers to an actor about a thread of the owner, and about a thread that does not exist. */
export async function threadAnswers(
  host: TestHost,
  { token }: Actor,
): Promise<readonly (readonly [where: string, theirs: string, nobodys: string])[]> {
  const send = async (
    as: string,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<string> => {
    const { statusCode, body } = await host.app.inject({
      method,
      url: `/api/threads${path}`,
      headers: { authorization: `Bearer ${as}`, ...(payload && { 'content-type': 'application/json' }) },
      ...(payload && { payload: JSON.stringify(payload) }),
    })
    return `${statusCode} ${body}`
  }
  const opened = await send(host.token, 'POST', '', { title: `${MARKER} thread` })
  const { id } = (JSON.parse(opened.slice(4)) as { thread: { id: string } }).thread
  await send(host.token, 'POST', `/${id}/messages`, { role: 'user', content: `${MARKER} message` })
  const nobodys = `${id.slice(0, -8)}${id.endsWith('00000000') ? '11111111' : '00000000'}`
  const ways = [
    ['GET', ''],
    ['GET', '/messages'],
    ['POST', '/messages', { role: 'user', content: 'x' }],
    ['DELETE', ''],
  ] as const
  const answers: [string, string, string][] = []
  for (const [method, rest, payload] of ways) {
    const ask = (thread: string): Promise<string> => send(token, method, `/${thread}${rest}`, payload)
    answers.push([`${method} /api/threads/:id${rest}`, await ask(id), await ask(nobodys)])
  }
  const list = await send(token, 'GET', '?limit=100')
  answers.push(['GET /api/threads', list, list])
  return answers
}
