import type { Engine, TestHost, TestHostOptions } from 'tasuki/testing'
import { generateDue } from '../../../plugins/templates/index.ts'
import { emptiedHost } from '../../shared-host.ts'

/** A host with templates and an adjustable clock. */
export interface ClockedHost {
  readonly host: TestHost
  set(time: string): void
  /** Runs the job once, as one instance. @returns the number of processed templates */
  tick(): Promise<number>
  /** Creates a template in the Inbox. @returns its reference */
  template(fields: object): Promise<string>
  /** Returns the tasks of a template, by number. */
  tasks(ref: string): Promise<readonly Task[]>
  /** Returns the template's history entries. */
  history(ref: string): Promise<readonly { kind: string; to?: Record<string, unknown> }[]>
}

export interface Task {
  readonly ref: string
  readonly title: string
  readonly status: string
  readonly system_status: string
  readonly due_date: string
  readonly due_time?: string
}

/** Opens a host for all tests of the current suite. @returns a function that empties the host and sets its clock */
export function clockedHost(engine: Engine, options: TestHostOptions = {}): (time: string) => Promise<ClockedHost> {
  let now: Date
  const empty = emptiedHost(engine, { config: { plugins: { templates: {} } }, now: () => now, ...options })
  return async time => {
    now = new Date(time)
    return withClock(await empty(), later => (now = later))
  }
}

function withClock(host: TestHost, setClock: (now: Date) => void): ClockedHost {
  return {
    host,
    set: time => setClock(new Date(time)),
    tick: () => host.write(generateDue),
    template: async fields => (await host.call('templates_create', { title: 'Water the plants', ...fields })).item.ref,
    async tasks(ref) {
      const { items } = await host.call('tasks_list', { q: 'is:recurring', limit: 100, sort: 'created', order: 'asc' })
      const whole: { item: Task & { template_ref: string } }[] = []
      for (const { ref: task } of items as Task[]) whole.push(await host.call('items_get', { item_ref: task }))
      return whole.map(({ item }) => item).filter(item => item.template_ref === ref)
    },
    history: async ref =>
      (await host.call('activities_list', { item_ref: ref, limit: 50 })).activities.map(
        ({ kind, to }: { kind: string; to?: Record<string, unknown> }) => ({ kind, ...(to && { to }) }),
      ),
  }
}
