import type { Item, ItemsHost, ItemsUser } from './setup.ts'

export interface Result {
  readonly item_ref: string
  readonly ok: boolean
  readonly changed?: string[]
  readonly before?: Item
  readonly after?: Item
  readonly error?: { readonly code: string; readonly message: string; readonly field?: string }
}
export interface BulkResult {
  readonly results: Result[]
  readonly succeeded: number
  readonly failed: number
  readonly warnings?: string[]
}

export const patch = (user: ItemsUser, item_refs: string[], change: object): Promise<BulkResult> =>
  user.confirmed('items_bulk_patch', { item_refs, ...change })

export const preview = (user: ItemsUser, item_refs: string[], change: object): Promise<BulkResult> =>
  user.call('items_bulk_patch_preview', { item_refs, ...change })

/** Creates a user with tasks in the Inbox. */
export async function userWithTasks({ newUser }: ItemsHost, count: number): Promise<ItemsUser> {
  const user = await newUser()
  for (let n = 1; n <= count; n++) await user.task(`Task ${n}`)
  return user
}

/** Creates a user with one item in the Inbox and one in a project whose workflow has `Checking` instead of `In review`. */
export async function userWithTwoWorkflows({ newUser }: ItemsHost): Promise<ItemsUser> {
  const user = await newUser()
  await user.createProject('APP')
  await user.ownWorkflow('APP', { 'In review': 'Checking' })
  await user.task('Standard')
  await user.task({ project_key: 'APP', title: 'Own' })
  return user
}
