import type { Newcomer, SharedHost } from '../../shared-host.ts'

type ToolResult = Awaited<ReturnType<Newcomer['call']>>

/** A user with a project APP, and shortcuts for calls in it. */
export interface Team extends Newcomer {
  sprint(name: string, fields?: object): Promise<ToolResult>
  /** Creates an item. @returns its reference */
  item(title: string, fields?: object): Promise<string>
  /** Calls a sprint tool in APP. */
  in(tool: string, fields: object): Promise<ToolResult>
  /** Returns the paths of the items' sprints, by reference, without items outside sprints. */
  placement(): Promise<Record<string, string>>
}

export async function newTeam({ newUser }: Pick<SharedHost, 'newUser'>): Promise<Team> {
  const user = await newUser()
  await user.createProject('APP')
  const inApp: Team['in'] = (tool, fields) => user.call(tool, { project_key: 'APP', ...fields })
  return {
    ...user,
    in: inApp,
    sprint: async (name, fields = {}) => (await inApp('sprints_create', { name, ...fields })).sprint,
    item: async (title, fields = {}) => (await inApp('items_create', { title, ...fields })).item.ref,
    async placement() {
      const { items } = await user.call('tasks_list', { include_agile: true, limit: 100 })
      return Object.fromEntries(
        items.flatMap((item: { ref: string; sprint_path?: string }) =>
          item.sprint_path === undefined ? [] : [[item.ref, item.sprint_path]],
        ),
      )
    },
  }
}

export const paths = (sprints: readonly { path: string }[]): string[] => sprints.map(sprint => sprint.path)
