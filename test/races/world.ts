import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from 'tasuki/plugin'
import { ToolFailure, type TestHost } from 'tasuki/testing'
import { deleteUser } from '../../core/identity/delete-user.ts'
import { revokeAccess } from '../../core/identity/revoke.ts'
import { linkRepository } from '../../plugins/code_refs/index.ts'
import { deliveryOf } from '../../plugins/code_refs/read-delivery.ts'
import { storeChanges } from '../../plugins/code_refs/receive.ts'
import { eachCall, KEY } from '../bench/statements.ts'
import { projectId } from '../isolation/world.ts'
import { acceptAll } from '../members.ts'

/** An operation that writes; it fails with the error that a caller would get. */
export interface Writer {
  readonly name: string
  readonly run: () => Promise<unknown>
}

/**
 * Creates an account with one record of every kind, and returns all operations that can write to it: every tool, and writers that are not
 * tools.
 * @param folder folder for files
 */
export async function addWriters(
  host: TestHost,
  round: number,
  folder: string,
): Promise<{ ownerId: string; writers: Writer[] }> {
  const email = `round${round}@example.com`
  const guest = `guest${round}@example.com`
  const owner = await host.user(email)
  const member = await host.user(guest)
  /** The host, with this user as owner. */
  const own: TestHost = {
    ...host,
    ...owner,
    command: (name, args = {}) => host.command(name, { ...args, user: email }),
    // The invited user exists from the first round on.
    user: name => host.user(name).catch(() => member),
  }
  const writers: Writer[] = []
  const tool = (name: string, args: object): void => void writers.push({ name, run: () => owner.confirmed(name, args) })
  await eachCall(own, 4, async (name, kind, given) => {
    const args = name === 'project_members_set' ? { ...given, email: guest } : given
    if (kind === 'R') return
    if (name === 'sprints_close') await owner.call('sprints_update', { ...args, status: 'planning' })
    tool(name, args)
  })
  const key = { ownerId: owner.userId, id: await projectId(own, KEY), key: KEY }
  const { id: link } = await host.write(ctx => linkRepository(ctx, key, 'github', 'acme/shop'))
  const { items } = await owner.call('tasks_list', { project_key: KEY, limit: 20 })
  const refs = (items as { ref: string }[]).map(({ ref }) => ref)
  const file = join(folder, `items ${round}.csv`)
  await writeFile(file, ['key,title,status,labels', ...[1, 2, 3].map(n => `K-${n},Imported ${n},Done,bug`)].join('\n'))
  const states = ['Backlog', 'In progress', 'In review', 'Done', 'Duplicate']
  await host.command('workflow copy', { name: 'Other', user: email })
  await host.command('project create', { key: 'WEB', name: 'Web', user: email })
  const theirs = (args: object): object => ({ ...args, item_ref: `${email}/${refs[0]}` })
  const change = { kind: 'commit' as const, author: null, state: null, branch: null, occurredAt: null }
  const more: Readonly<Record<string, () => Promise<unknown>>> = {
    'webhook, a commit': () =>
      host.write(ctx =>
        storeChanges(
          ctx,
          { ownerId: owner.userId, id: link },
          deliveryOf([
            { ...change, externalId: 'abc', title: 'x', url: 'https://example.com/abc', texts: refs.slice(0, 3) },
          ]),
        ),
      ),
    'code unlink': () => host.command('code unlink', { id: link, user: email }),
    'workflow assign': () => host.command('workflow assign', { project_key: KEY, workflow: 'Other', user: email }),
    'workflow assign back': () => host.command('workflow assign', { project_key: KEY, workflow: 'Own', user: email }),
    'workflow enforce': () => host.command('workflow enforce', { workflow: 'Own', enforce: 'off', user: email }),
    'import file': () => host.command('import file', { file, project: KEY, yes: true, user: email }),
    'move to WEB': () => owner.confirmed('items_move_project', { item_refs: refs.slice(0, 3), to_project: 'WEB' }),
    'move back': () => owner.confirmed('items_move_project', { item_refs: refs.slice(0, 3), to_project: KEY }),
    'invite the guest': () => owner.call('project_members_set', { project_key: KEY, email: guest, role: 'editor' }),
    'the guest accepts': () => host.write(ctx => acceptAll(ctx, guest)),
    'the guest comments': () => member.call('discussions_create', { ...theirs({ body: 'Seen' }), kind: 'fact' }),
    'the guest completes': () => member.call('items_complete', theirs({})),
    'the guest is revoked': () => host.write(ctx => revokeAccess(ctx, member.userId)),
    'the guest is deleted': () => host.write(async ctx => void (await deleteUser(ctx, await ctx.users.require(guest)))),
  }
  for (const [name, run] of Object.entries(more)) writers.push({ name, run })
  // Moves one item between all states while states are renamed, reordered, closed and deleted.
  for (const state of states)
    writers.push({
      name: `move to the state ${state}`,
      run: () => owner.call('items_move_state', { item_ref: refs[0], status_definition_id: state }),
    })
  return { ownerId: owner.userId, writers }
}

/** Returns the outcome of a call: the code of its refusal, or null. */
export async function outcomeOf(run: () => Promise<unknown>): Promise<string | null> {
  try {
    await run()
    return null
  } catch (error) {
    if (error instanceof ToolFailure || error instanceof ToolError) return error.code
    return `${(error as { code?: string }).code ?? ''} ${String(error)}`
  }
}
