import type { Team } from '../sprints/team.ts'

/** Creates an item of a size, in a sprint or in none. @returns its reference */
export async function createSized(app: Team, title: string, estimate: string, sprint?: string): Promise<string> {
  const ref = await app.item(title, sprint === undefined ? {} : { sprint })
  await app.call('agile_meta_patch', { item_ref: ref, estimate })
  return ref
}

/** Runs a sprint that completes some items and carries others over. @returns the references of the carried-over items */
export async function runSprint(
  app: Team,
  name: string,
  { done, open, next }: { readonly done: readonly string[]; readonly open: readonly string[]; readonly next: string },
): Promise<string[]> {
  for (const estimate of done)
    await app.call('items_complete', { item_ref: await createSized(app, `${name}: done`, estimate, name) })
  const refs: string[] = []
  for (const estimate of open) refs.push(await createSized(app, `${name}: open`, estimate, name))
  await app.sprint(next)
  const { items } = await app.in('sprints_close', {
    sprint: name,
    next_sprint: next,
    dispositions: (await openIn(app, name)).map(item_ref => ({ item_ref, disposition: 'next_sprint' })),
  })
  await app.in('sprints_update', { sprint: next, status: 'active' })
  return items.flatMap((item: { item_ref: string; outcome: string }) =>
    item.outcome === 'done' ? [] : [item.item_ref],
  )
}

async function openIn(app: Team, sprint: string): Promise<string[]> {
  const { items } = await app.call('tasks_list', { q: `sprint:"${sprint}" is:open`, limit: 100 })
  return items.map(({ ref }: { ref: string }) => ref)
}
