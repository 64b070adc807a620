import type { TestCaller } from 'tasuki/testing'

export interface Work {
  readonly task: string
  readonly note: string
  readonly sprintId: string
  readonly closedSprintId: string
}

const DAY = 86_400_000

/** Fills the project SHOP of a caller with something for every page. @param clock moves time on, from its present value */
export async function fillWork(caller: TestCaller, clock: { now: Date }): Promise<Work> {
  const { call } = caller
  const estimate = (estimates: readonly (readonly [string, string])[]) =>
    call('agile_estimate_apply', {
      project_key: 'SHOP',
      estimates: estimates.map(([item_id, value]) => ({ item_id, value })),
    })
  await call('sprints_create', {
    project_key: 'SHOP',
    name: 'Sprint 1',
    status: 'active',
    start_date: '2026-05-18',
    end_date: '2026-05-29',
  })
  const start = clock.now.getTime()
  clock.now = new Date(start - 10 * DAY)
  const past = []
  for (const n of [1, 2, 3, 4, 5]) {
    past.push(await call('items_create', { project_key: 'SHOP', title: `Earlier ${n}`, sprint: 'Sprint 1' }))
  }
  await estimate(past.map(({ item }) => [item.ref, '3']))
  for (const [n, made] of past.entries()) {
    clock.now = new Date(start - (9 - n) * DAY)
    if (n < 4) await call('items_complete', { item_ref: made.item.ref })
  }
  clock.now = new Date(start - 3 * DAY)
  await call('sprints_close', {
    project_key: 'SHOP',
    sprint: 'Sprint 1',
    dispositions: [{ item_ref: past[4].item.ref, disposition: 'backlog' }],
  })
  await call('sprints_create', {
    project_key: 'SHOP',
    name: 'Sprint 2',
    goal: 'Checkout works on phones',
    status: 'active',
    start_date: '2026-05-29',
    end_date: '2026-06-12',
    capacity: 20,
  })
  const made = []
  for (const [title, more] of [
    ['Pay by card', { priority: 'urgent', due_date: '2026-06-05', labels: ['payments', 'mobile'] }],
    ['カートの合計が正しく表示されない', { priority: 'high', kind: 'bug' }],
    ['Receipt by e-mail', {}],
    ['Ship to several addresses', {}],
    ['Remember the address', {}],
  ] as const) {
    made.push(await call('items_create', { project_key: 'SHOP', title, sprint: 'Sprint 2', ...more }))
  }
  await estimate(made.map(({ item }, n) => [item.ref, ['5', '3', '2', '8', '2'][n]!]))
  const [card, cart, receipt] = made.map(({ item }) => item.ref as string)
  clock.now = new Date(start - DAY)
  await call('items_move_state', { item_ref: cart, status_definition_id: 'In progress' })
  await call('items_complete', { item_ref: receipt })
  clock.now = new Date(start)
  await call('items_patch', { item_ref: card, detail: BODY })
  await call('items_rewrite_detail', {
    item_ref: card,
    new_detail: BODY.replace('Visa', 'Visa, JCB'),
    instruction: 'JCB is wanted',
  })
  await call('checklist_add', { item_ref: card, content: 'Ask the bank' })
  await call('relations_create', { source_item_ref: card, target_item_ref: cart, relation_type: 'reference' })
  await call('discussions_create', { item_ref: card, body: 'We take **3-D Secure**.', kind: 'decision' })
  const note = await call('notes_create', { project_key: 'SHOP', title: 'How payments work', body: 'First\n\nSecond' })
  const { sprints } = await call('sprints_list', { project_key: 'SHOP' })
  const idOf = (name: string): string => sprints.find((sprint: { name: string }) => sprint.name === name).id
  return {
    task: card!,
    note: (note.item ?? note.note).ref,
    sprintId: idOf('Sprint 2'),
    closedSprintId: idOf('Sprint 1'),
  }
}

const BODY = `## What is wanted

Cards: Visa and others. See https://example.com/cards and [rules](javascript:alert(1)).

| Card | Fee |
|------|----:|
| Visa | 1.2 % |

![logo](https://tracker.example/x.png)

<script>alert(1)</script>

\`\`\`
charge(100)
\`\`\`
`
