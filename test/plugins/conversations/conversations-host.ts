import assert from 'node:assert/strict'
import { before } from 'node:test'
import { testHost, type Engine, type TestCaller, type TestHost, type TestHostOptions } from 'tasuki/testing'
import { suiteScope } from '../../core/suite-scope.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any route
  readonly body: any
}

export interface Talker extends TestCaller {
  readonly email: string
}

/** A host with conversations for the tests of a suite, with an adjustable clock. */
export interface TalkingHost {
  readonly host: TestHost
  newUser(): Promise<Talker>
  /** Sends a request to the routes; a string body is sent unchanged. */
  http(
    user: { readonly token: string } | null,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: object,
  ): Promise<Answer>
  /** Opens a thread of a user with messages. */
  talk(user: TestCaller, title: string | undefined, ...contents: readonly string[]): Promise<string>
  /** Calls a tool as a client that sends its name with each call. */
  as(user: TestCaller, client: string, tool: string, args?: object): Promise<unknown>
  /** Reads the caller's threads with their messages, after storing all digests. */
  threads(user: TestCaller): Promise<
    readonly {
      readonly id: string
      readonly open: boolean
      readonly client?: string
      readonly messages: readonly string[]
    }[]
  >
  /** Advances the clock of the host by minutes. */
  pass(minutes: number): Promise<void>
  run(job: 'close' | 'forget'): Promise<void>
}

const PREFIX = 'io.modelcontextprotocol/'

export function conversationsHost(engine: Engine, plugins: object = {}, options: TestHostOptions = {}): TalkingHost {
  const scope = suiteScope()
  let host: TestHost
  let offset = 0
  let users = 0
  before(async () => {
    host = await testHost(scope, {
      ...options,
      engine,
      now: () => new Date(Date.now() + offset),
      config: { plugins: { conversations: {}, ...plugins }, ...options.config },
    })
  })
  const http: TalkingHost['http'] = async (user, method, path, body, headers = {}) => {
    const response = await host.app.inject({
      method,
      url: `/api/threads${path}`,
      headers: {
        ...(user && { authorization: `Bearer ${user.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.statusCode, headers: response.headers, body: response.json() }
  }
  return {
    get host() {
      return host
    },
    async newUser() {
      const email = `user${++users}@example.com`
      return { ...(await host.user(email)), email }
    },
    http,
    async talk(user, title, ...contents) {
      const { body } = await http(user, 'POST', '', title === undefined ? {} : { title })
      for (const content of contents)
        assert.equal((await http(user, 'POST', `/${body.thread.id}/messages`, { role: 'user', content })).status, 201)
      return body.thread.id
    },
    async as({ token }, client, tool, args = {}) {
      const _meta = {
        [`${PREFIX}protocolVersion`]: '2026-07-28',
        [`${PREFIX}clientInfo`]: { name: client, version: '1' },
        [`${PREFIX}clientCapabilities`]: {},
      }
      const response = await host.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          host: 'localhost',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': tool,
        },
        payload: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: tool, arguments: args, _meta },
        }),
      })
      const { result } = response.json()
      assert.ok(result, response.body)
      return result.isError ? JSON.parse(result.content[0].text) : result.structuredContent
    },
    async threads(user) {
      await host.calls.flush()
      const { body } = await http(user, 'GET', '?limit=100')
      return Promise.all(
        body.threads.map(async ({ id, open, client }: { id: string; open: boolean; client?: string }) => {
          const { messages } = (await http(user, 'GET', `/${id}/messages?limit=200`)).body
          return {
            id,
            open,
            ...(client !== undefined && { client }),
            messages: messages.map(({ content }: { content: string }) => content),
          }
        }),
      )
    },
    async pass(minutes) {
      await host.calls.flush()
      offset += minutes * 60_000
    },
    async run(name) {
      const job = host.registry.jobs.find(each => each.name === `conversations.${name}`)!
      await host.write(ctx => job.run(ctx, {}))
    },
  }
}
