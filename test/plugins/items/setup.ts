import { before } from 'node:test'
import type { Engine, TestCaller, TestHost, TestHostOptions } from 'tasuki/testing'
import type { ProjectRow } from '../../../plugins/projects/index.ts'
import { share } from '../../members.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { hostOfSuite } from '../../host-pool.ts'

/** A user for one test, with a separate Inbox and separate item numbers. */
export interface ItemsUser extends TestCaller {
  readonly email: string
  createProject(key: string): Promise<void>
  /** Creates a task in the Inbox; a string is its title. @returns its reference */
  task(args: string | Readonly<Record<string, unknown>>): Promise<string>
  /** Adds a member to a project. */
  share(key: string, email: string, role: 'editor' | 'viewer'): Promise<void>
  /** Gives a project its own workflow, with some states renamed. */
  ownWorkflow(key: string, renamed?: Readonly<Record<string, string>>): Promise<void>
  /** Returns the references of a tasks_list page, in order. */
  refs(args?: object): Promise<string[]>
  get(ref: string): Promise<Item>
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read items of any shape
export type Item = Record<string, any>

export interface ItemsHost {
  readonly host: TestHost
  newUser(options?: { timeZone?: string }): Promise<ItemsUser>
  /** Returns the statements of a call, without those that begin and end its transaction. */
  statements(call: () => Promise<unknown>): Promise<string[]>
}

/** Opens one host for all tests of the current suite. */
export function itemsHost(engine: Engine, options: TestHostOptions = {}): ItemsHost {
  const scope = suiteScope()
  let host: TestHost
  let users = 0
  before(async () => {
    host = await hostOfSuite(scope, { ...options, engine })
  })
  return {
    get host() {
      return host
    },
    newUser: userOptions => newUser(host, `user${++users}@example.com`, userOptions),
    async statements(call) {
      const sent = await host.statements(call)
      return sent.filter(text => !/^(begin|commit|start transaction)/i.test(text))
    },
  }
}

async function newUser(host: TestHost, email: string, options: { timeZone?: string } = {}): Promise<ItemsUser> {
  const caller = await host.user(email, options)
  const { call } = caller
  return {
    ...caller,
    email,
    async createProject(key) {
      await host.command('project create', { key, name: `Project ${key}`, user: email })
    },
    async task(args) {
      const fields = typeof args === 'string' ? { title: args } : args
      const { item } = await call('items_create', { project_key: 'INBOX', title: 'Task', ...fields })
      return item.ref
    },
    async share(key, member, role) {
      const [project] = await host.sql<ProjectRow>`
        select owner_id as "ownerId", id, key from projects.projects where owner_id = ${caller.userId} and key = ${key}`
      await host.write(ctx => share(ctx, project!, member, role))
    },
    async ownWorkflow(key, renamed = {}) {
      await host.command('workflow copy', { name: `Flow of ${key}`, user: email })
      await host.command('workflow assign', { project_key: key, workflow: `Flow of ${key}`, user: email })
      for (const [state, name] of Object.entries(renamed)) {
        await call('workflow_states_update', { workflow_id: `Flow of ${key}`, state_id: state, name })
      }
    },
    async refs(args = {}) {
      const { items } = await call('tasks_list', args)
      return (items as Item[]).map(item => item['ref'] as string)
    },
    async get(ref) {
      return (await call('items_get', { item_ref: ref })).item
    },
  }
}
