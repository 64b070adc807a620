import { uuid } from 'tasuki/plugin'
import type { TestCaller } from 'tasuki/testing'
import { disableUser } from '../../../core/identity/users.ts'
import { modernHeaders, modernMeta } from '../../core/mcp/stub.ts'
import { answer, authorize, consentForm } from './client-app.ts'
import { acceptAll } from '../../members.ts'
import type { Browser, PortalHost } from './portal-host.ts'

export interface Work {
  readonly task: string
  readonly note: string
  readonly sprintId: string
  readonly closedSprintId: string
  /** An item that returned to the backlog when a sprint was closed. */
  readonly earlier: string
}

const DAY = 86_400_000

/** Fills the project SHOP of a caller with records for every page. @param clock the function advances it */
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
    ['Remember the address', { due_date: '2026-05-28' }],
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
    earlier: past[4].item.ref,
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

/** Creates every record that pages show, for a user without projects. @returns addresses without incoming links */
export async function fillEverything(
  portal: Pick<PortalHost, 'host' | 'newUser' | 'now'>,
  owner: TestCaller,
  browser: Browser,
): Promise<readonly string[]> {
  const { host } = portal
  const send = async (page: string, address: string, fields: Parameters<Browser['send']>[1] = {}): Promise<void> => {
    await browser.get(page)
    const { status, text } = await browser.send(address, fields)
    if (status >= 400) throw new Error(`${address} was refused: ${text}`)
  }
  await send('/projects', '/projects', { key: 'SHOP', name: 'Web shop', description: 'What we sell' })
  const work = await fillWork(owner, portal)
  const { call } = owner
  const member = await portal.newUser()
  const invite = (email: string) => send('/projects/SHOP/members', '/projects/SHOP/members', { email, role: 'editor' })
  await invite(member.email)
  await host.write(ctx => acceptAll(ctx, member.email))
  await invite('later@example.com')
  await send('/projects/SHOP/workflow', '/projects/SHOP/workflow/copy', { name: 'Own' })
  await send('/projects/SHOP/library', '/projects/SHOP/library', { path: 'Guides/Setup' })
  await send('/projects/SHOP/code', '/projects/SHOP/code', { host: 'github', repository: 'acme/shop' })
  await host.sql`
    insert into code_refs.references (owner_id, item_id, link_id, kind, external_id, title, url, author, occurred_at)
    select i.owner_id, i.id, l.id, 'commit', '4f2a9c01d7', 'Pay by card', 'https://code.example/4f2a9c01d7', 'Ann', ${portal.now}
    from items.items i join code_refs.links l on l.owner_id = i.owner_id
    where i.owner_id = ${owner.userId} and i.title = 'Pay by card'`
  const onTask = `/projects/SHOP/items/${work.task.split('#')[1]}`
  await send(onTask, `${onTask}/links`, { url: 'https://example.com/plan' })
  await send('/settings/numbering', '/settings/numbering', {
    series_key: 'bill',
    prefix: 'B',
    name: 'Bills',
    start: '1',
  })
  await call('project_custom_fields_create', { project_key: 'SHOP', label: 'Customer' })
  await call('items_set_custom_fields', { item_ref: work.task, custom_fields: { customer: 'Acme' } })
  await call('custom_numbers_assign', { item_ref: work.task, series_key: 'bill' })
  const daily = { project_key: 'SHOP', title: 'Every day', recurrence_rule: 'FREQ=DAILY' }
  const { item: template } = await call('templates_create', daily)
  const { reminder } = await call('reminders_create', { item_ref: work.task, lead_time_minutes: 60 })
  await call('reminders_patch', { reminder_id: reminder.id, status: 'dismissed' })
  await call('reminders_create', { item_ref: work.task, lead_time_minutes: 2880 })
  const file = { parent_kind: 'item', parent_ref: work.task, filename: 'fees.txt', mime_type: 'text/plain' }
  await call('attachments_upload', { ...file, content_base64: 'aGVsbG8=' })
  const [{ email } = { email: '' }] = await host.sql<{ email: string }>`
    select email from core.users where id = ${owner.userId}`
  const theirs = work.task.replace(/^/, `${email}/`)
  await member.call('discussions_create', { item_ref: theirs, body: `@${email} please look`, kind: 'fact' })
  await host.sql`
    insert into portal.identities (issuer, subject, user_id, email, created_at)
    values ('https://id.example', ${email}, ${owner.userId}, ${email}, ${portal.now})`
  const imported = await fillImports(portal, owner, browser)
  await fillInvitations(portal, email)
  const { page } = await authorize(host.app, browser, { name: 'Codex' })
  await answer(browser, page, { decision: 'allow', scope: 'write' })
  const answered = consentForm(page)
  const { page: asked } = await authorize(host.app, browser, { redirect: 'https://chat.example/callback' })
  const confirmed = await openConfirmationPage(owner, work.task)
  await send(confirmed, confirmed, { decision: 'confirm' })
  const pageOf = (ref: string): string => `/projects/SHOP/items/${ref.split('#')[1]}`
  return [
    '/projects',
    pageOf(work.task),
    pageOf(template.ref),
    consentForm(asked),
    answered,
    await openConfirmationPage(owner, work.task),
    confirmed,
    ...imported,
  ]
}

const TABLE = 'Key,Summary,State,Stage,Due\nA-1,One,QA,x,2026-06-30\nA-2,Two,Done,y,next week\nA-3,,Done,z,\n'

/** Uploads a file that waits for its import, and others whose imports ended in every possible way. @returns their addresses */
async function fillImports(
  { host, now }: Pick<PortalHost, 'host' | 'now'>,
  { userId }: TestCaller,
  browser: Browser,
): Promise<readonly string[]> {
  const page = await browser.get('/imports?project=SHOP')
  const project = /<option\s+value="([^"]+)" selected>SHOP/.exec(page.text)![1]!
  const fields = { format: 'detect', project, key: '', name: '' }
  const { location, text } = await browser.upload('/imports', fields, [
    { field: 'file', name: 'items.csv', bytes: TABLE },
  ])
  if (location === undefined) throw new Error(text)
  const problems = [{ line: 3, field: 'dueDate', problem: '"next week" is no date that can be read: left out' }]
  const position = JSON.stringify({ from: 2, created: 2, known: 0, problems, more: 4 })
  const fault = JSON.stringify({ code: 'forbidden', message: 'You may look at SHOP but not change it.' })
  const others = ['done', 'failed', 'cancelled'].map(state => ({ state, id: uuid() }))
  for (const { state, id } of others)
    await host.sql`
      insert into transfer.uploads (owner_id, id, filename, size, format, project_owner_id, project_id, columns, states, state, position, total,
        fault, created_at, updated_at, expires_at)
      values (${userId}, ${id}, 'items.csv', 120, 'csv', ${userId}, ${project}, '{}', '{}', ${state}, ${position}::text::jsonb, 2,
        ${state === 'failed' ? fault : null}::text::jsonb, ${now}, ${now}, '2099-01-01')`
  return [location, ...others.map(({ id }) => `/imports/${id}`)]
}

/** Makes a user a member of a project, with a pending invitation to a second and a declined one to a third. */
async function fillInvitations({ host, newUser }: Pick<PortalHost, 'host' | 'newUser'>, email: string): Promise<void> {
  const [colleague, stranger] = [(await newUser()).email, (await newUser()).email]
  const invite = async (key: string, user: string): Promise<void> => {
    await host.command('project create', { key, name: `Plans of ${key}`, user })
    await host.command('project invite', { key, email, user })
  }
  await invite('TEAM', colleague)
  await host.write(ctx => acceptAll(ctx, email))
  await invite('SPAM', stranger)
  await host.command('project decline', { project: `${stranger}/SPAM`, user: email })
  await invite('LAB', colleague)
}

/** Makes a destructive call as a client that opens pages and shows no forms. @returns the path of the page that asks about it */
async function openConfirmationPage(caller: TestCaller, item: string): Promise<string> {
  const { discussion } = await caller.call('discussions_create', { item_ref: item, body: 'Said in passing' })
  const { authorization: _, ...headers } = modernHeaders('tools/call', 'discussions_delete')
  const _meta = modernMeta({ elicitation: { url: {} } })
  const params = { name: 'discussions_delete', arguments: { discussion_id: discussion.id }, _meta }
  const { body } = await caller.rpc('tools/call', params, { headers })
  return new URL(body.result.inputRequests.confirm.params.url as string).pathname
}

/** Sets up every kind of second factor for a signed-in user. */
export async function fillSecondFactor({ host, now }: Pick<PortalHost, 'host' | 'now'>, userId: string): Promise<void> {
  await host.sql`
    insert into portal.authenticators (owner_id, secret, last_step, created_at) values (${userId}, 'sealed', 0, ${now})`
  await host.sql`
    insert into portal.passkeys (owner_id, id, credential_id, public_key, counter, transports, name, created_at, challenged_at)
    values (${userId}, ${uuid()}, 'AAAA', 'AAAA', 0, 'internal', 'Laptop', ${now}, ${now})`
  await host.sql`insert into portal.recovery_codes (owner_id, hash) values (${userId}, 'hash')`
}

/** Makes a user an administrator, with other users in every state and a failed job. @returns addresses of the users */
export async function fillAdministration(
  portal: Pick<PortalHost, 'host' | 'newUser' | 'now'>,
  administrator: string,
): Promise<readonly string[]> {
  const { host } = portal
  await host.command('user admin', { email: administrator })
  const [shut, other] = [await portal.newUser(), await portal.newUser()]
  await host.write(ctx => disableUser(ctx, shut.email))
  await host.command('user admin', { email: other.email })
  await fillSecondFactor(portal, shut.userId)
  await fillSecondFactor(portal, other.userId)
  await host.sql`
    insert into core_jobs.job (name, data, state, completed_on, output)
    values ('portal.sweep', '{}', 'failed', ${portal.now}, '{"message":"There was no room."}')`
  const plain = await portal.newUser()
  return [shut, other, plain].map(({ userId }) => `/settings/users/${userId}`)
}
