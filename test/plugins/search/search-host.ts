import { after, before } from 'node:test'
import { testHost, type Engine, type TestCaller, type TestHost, type TestHostOptions } from 'tasuki/testing'

export interface SearchHost {
  readonly host: TestHost
  /** Creates a user for a test. */
  newUser(): Promise<TestCaller & { readonly email: string }>
  /** Returns the titles of the results of a query, best first. */
  titles(user: TestCaller, q: string, more?: object): Promise<string[]>
  /** Creates tasks, by title or by title and detail. */
  write(user: TestCaller, items: readonly (string | readonly [title: string, detail: string])[]): Promise<void>
  /** Returns the statements of a call, without those that begin and end its transaction. */
  statements(call: () => Promise<unknown>): Promise<string[]>
}

/** Opens one host with search for all tests of the current suite. */
export function searchHost(engine: Engine, settings: object = {}, options: TestHostOptions = {}): SearchHost {
  const cleanups: (() => Promise<void> | void)[] = []
  let host: TestHost | undefined
  let users = 0
  before(async () => {
    const config = { plugins: { search: settings } }
    host = await testHost({ after: work => void cleanups.unshift(work) }, { ...options, engine, config })
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
  return {
    get host() {
      return host!
    },
    async newUser() {
      const email = `user${++users}@example.com`
      return { ...(await host!.user(email)), email }
    },
    async titles(user, q, more = {}) {
      const { items } = await user.call('query', { q, ...more })
      return items.map((item: { title: string }) => item.title)
    },
    async write(user, items) {
      for (const item of items) {
        const [title, detail] = typeof item === 'string' ? [item] : item
        await user.call('items_create', { project_key: 'INBOX', title, ...(detail !== undefined && { detail }) })
      }
    },
    async statements(call) {
      const sent = await host!.statements(call)
      return sent.filter(text => !/^(begin|commit|start transaction)/i.test(text))
    },
  }
}
