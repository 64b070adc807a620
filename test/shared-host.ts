import { before } from 'node:test'
import type { Engine, TestCaller, TestHost, TestHostOptions } from 'tasuki/testing'
import { suiteScope } from './core/suite-scope.ts'
import { hostOfSuite } from './host-pool.ts'
import type { ProjectRow } from '../plugins/projects/index.ts'
import { share } from './members.ts'

/** A user for one test, with a separate Inbox and separate item numbers. */
export interface Newcomer extends TestCaller {
  readonly email: string
  createProject(key: string): Promise<void>
  /** Adds a member to a project. */
  share(key: string, email: string, role: 'editor' | 'viewer'): Promise<void>
}

export interface SharedHost {
  newUser(timeZone?: string): Promise<Newcomer>
  /** Runs work in a write context as the system. */
  readonly write: TestHost['write']
  readonly command: TestHost['command']
  /** Runs a job like the queue. */
  run(job: string, payload?: object): Promise<void>
  /** Returns the statements of a call, without those that begin and end its transaction. */
  statements(call: () => Promise<unknown>): Promise<string[]>
}

/** Opens one host for all tests of the current suite. */
export function sharedHost(engine: Engine, options: TestHostOptions = {}): SharedHost {
  const scope = suiteScope()
  let host: TestHost
  let users = 0
  before(async () => {
    host = await hostOfSuite(scope, { ...options, engine })
  })
  return {
    write: work => host.write(work),
    command: (name, args) => host.command(name, args),
    async newUser(timeZone) {
      const email = `user${++users}@example.com`
      const caller = await host.user(email, timeZone === undefined ? {} : { timeZone })
      return {
        ...caller,
        email,
        createProject: async key =>
          void (await host.command('project create', { key, name: `Project ${key}`, user: email })),
        async share(key, member, role) {
          const [project] = await host.sql<ProjectRow>`
            select owner_id as "ownerId", id, key from projects.projects where owner_id = ${caller.userId} and key = ${key}`
          await host.write(ctx => share(ctx, project!, member, role))
        },
      }
    },
    async run(name, payload = {}) {
      const job = host.registry.jobs.find(each => each.name === name)!
      await host.write(ctx => job.run(ctx, payload))
    },
    async statements(call) {
      const sent = await host.statements(call)
      return sent.filter(text => !/^(begin|commit|start transaction)/i.test(text))
    },
  }
}

/** Like `sharedHost`, for tests that read all data: returns an empty host with a new owner for each test. */
export function emptiedHost(engine: Engine, options: TestHostOptions = {}): () => Promise<TestHost> {
  const scope = suiteScope()
  let host: TestHost | undefined
  return async () => {
    host = host ? await host.reset() : await hostOfSuite(scope, { ...options, engine })
    return host
  }
}
