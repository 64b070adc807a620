import assert from 'node:assert/strict'
import { before } from 'node:test'
import { definePlugin, type HostServices } from 'tasuki/plugin'
import { createCsrfToken } from '../../../plugins/portal/auth/csrf.ts'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { verifies } from '../../verifies.ts'
import { portalHost, type Browser } from './portal-host.ts'
import { fillWork, type Work } from './fill-portal.ts'

forEachEngine('pages of features', engine => {
  let services: HostServices
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    api: 1,
    group: 'probe',
    routes: (_app, lent) => void (services = lent),
  })
  const portal = portalHost(engine, { config: { plugins: { portal: {}, estimation: {} } }, plugins: [probe] })
  let owner: Browser
  let editor: Browser
  let viewer: Browser
  let stranger: Browser
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let work: Work
  let people: Record<'owner' | 'editor' | 'viewer' | 'stranger', string>

  before(async () => {
    const { newUser, signedIn } = portal
    caller = await newUser()
    const others = [await newUser(), await newUser(), await newUser()].map(({ email }) => email)
    people = { owner: caller.email, editor: others[0]!, viewer: others[1]!, stranger: others[2]! }
    owner = await signedIn(people.owner)
    await owner.get('/projects')
    await owner.send('/projects', { key: 'SHOP', name: 'Web shop', description: 'What we sell' })
    await owner.get('/projects/SHOP/members')
    await owner.send('/projects/SHOP/members', { email: people.editor, role: 'editor' })
    await owner.get('/projects/SHOP/members')
    await owner.send('/projects/SHOP/members', { email: people.viewer, role: 'viewer' })
    for (const email of [people.editor, people.viewer]) await portal.host.write(ctx => acceptAll(ctx, email))
    editor = await signedIn(people.editor)
    viewer = await signedIn(people.viewer)
    stranger = await signedIn(people.stranger)
    work = await fillWork(caller, portal)
  })
  const number = (): string => work.task.split('#')[1]!
  const item = (): string => `/projects/SHOP/items/${number()}`
  /** Submits a form of a page. */
  const send = async (browser: Browser, page: string, address: string, fields = {}) => {
    await browser.get(page)
    return browser.send(address, fields)
  }

  verifies('portal.projects', 'a project is created, described, given a unit, archived and restored', async () => {
    const made = await send(owner, '/projects', '/projects', { key: 'new', name: 'New <b>', description: '' })
    assert.equal(made.location, '/projects/NEW/settings')
    assert.match((await owner.get('/projects')).text, /New &lt;b&gt;/)
    const refused = await send(owner, '/projects', '/projects', { key: 'new', name: 'x', description: '' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /href="#projects-key"/)
    const page = '/projects/NEW/settings'
    const fields = { name: 'Newer', description: 'About it', estimate_unit: 'hours' }
    assert.equal((await send(owner, page, page, fields)).status, 303)
    const { text } = await owner.get(page)
    for (const part of ['value="Newer"', 'About it', /value="hours"[^>]*checked/]) assert.match(text, new RegExp(part))
    await send(owner, page, '/projects/NEW/archive', { archived: 'yes' })
    assert.doesNotMatch((await owner.get('/projects/NEW/add')).text, /name="line"/)
    assert.equal((await owner.get('/projects/NEW')).location, '/projects/NEW/board')
    assert.match((await owner.get('/projects')).text, /<details>[\s\S]*Newer/)
    await send(owner, page, '/projects/NEW/archive', { archived: 'no' })
    assert.doesNotMatch((await owner.get('/projects')).text, /<details>[\s\S]*Newer/)
  })

  verifies(
    ['portal.projects', 'portal.members'],
    'members are invited by e-mail address, changed and removed',
    async () => {
      const page = '/projects/SHOP/members'
      const wrong = await send(owner, page, page, { email: 'nobody', role: 'viewer' })
      assert.equal(wrong.status, 422)
      assert.match(wrong.text, /href="#projects-SHOP-members-email"/)
      const { email } = await portal.newUser()
      await send(owner, page, page, { email, role: 'viewer' })
      await portal.host.write(ctx => acceptAll(ctx, email))
      await send(owner, page, page, { email, role: 'editor' })
      const browser = await portal.signedIn(email)
      assert.match((await browser.get('/projects')).text, /Web shop[\s\S]*Editor/)
      await send(owner, page, '/projects/SHOP/members/remove', { email })
      assert.doesNotMatch((await browser.get('/projects')).text, /Web shop/)
      assert.match((await owner.get('/projects/INBOX/members')).text, /cannot be shared/)
    },
  )

  verifies('portal.projects', 'features, workflow and kinds are set for one project', async () => {
    await send(owner, '/projects', '/projects', { key: 'SET', name: 'Set', description: '' })
    await send(owner, '/projects/SET/features', '/projects/SET/features', { features: ['calendar', 'summaries'] })
    await assert.rejects(caller.call('sprints_list', { project_key: 'SET' }), /off in project SET/)
    assert.doesNotMatch((await owner.get('/projects/SET/features')).text, /value="sprints"[^>]*checked/)
    assert.equal((await owner.get('/projects/SET/sprints')).status, 404)
    await send(owner, '/settings/features', '/settings/features', {
      features: ['calendar', 'sprints', 'estimation', 'roadmap', 'agile_ai'],
    })
    assert.doesNotMatch((await owner.get('/settings/features')).text, /value="summaries"[^>]*checked/)
    const flow = '/projects/SET/workflow'
    assert.match((await owner.get(flow)).text, /In review/)
    await send(owner, flow, `${flow}/copy`, { name: 'Ours' })
    assert.match((await owner.get(flow)).text, /uses the workflow &quot;Ours&quot;/)
    await send(owner, flow, `${flow}/enforce`, { enforce: 'on' })
    assert.match((await owner.get(flow)).text, /name="enforce"[^>]*checked/)
    const { workflows } = await caller.call('workflow_states_list')
    const system = workflows.find((workflow: { is_system: boolean }) => workflow.is_system)
    await send(owner, flow, flow, { workflow_id: system.id })
    assert.match((await owner.get(flow)).text, /uses the workflow &quot;Standard&quot;/)
    const kinds = '/projects/SET/kinds'
    await send(owner, kinds, kinds, { kinds: 'risk, spike' })
    assert.match((await owner.get(kinds)).text, /value="risk, spike"/)
    assert.equal((await send(owner, kinds, kinds, { kinds: 'Bad Kind' })).status, 422)
  })

  verifies(
    'portal.feature_off',
    'a tab disappears with its feature, for this project only, and its address gives the reason',
    async () => {
      await send(owner, '/projects', '/projects', { key: 'CALM', name: 'Calm', description: '' })
      const invite = { email: people.viewer, role: 'viewer' }
      await send(owner, '/projects/CALM/members', '/projects/CALM/members', invite)
      await portal.host.write(ctx => acceptAll(ctx, people.viewer))
      const { item: made } = await caller.call('items_create', { project_key: 'CALM', title: 'Quiet' })
      const own = `/projects/CALM/items/${made.ref.split('#')[1]}`
      const tab = (text: string): boolean => />Sprints<\/a>/.test(text)
      const pages = [
        '/projects/CALM/board',
        own,
        `${own}/history`,
        `${own}/revisions`,
        '/projects/CALM/library',
        '/projects/CALM/settings',
      ]
      for (const page of pages) assert.ok(tab((await owner.get(page)).text), page)
      await send(owner, '/projects/CALM/features', '/projects/CALM/features', { features: ['calendar'] })
      const shared = (page: string) => page.replace('CALM', encodeURIComponent(`${people.owner}/CALM`))
      for (const page of pages) {
        assert.ok(!tab((await owner.get(page)).text), page)
        const seen = await viewer.get(shared(page))
        assert.equal(seen.status, 200, page)
        assert.ok(!tab(seen.text), `${page} of a viewer`)
      }
      assert.ok(tab((await owner.get('/projects/SHOP/board')).text))
      for (const [browser, page] of [
        [owner, '/projects/CALM/sprints'],
        [viewer, shared('/projects/CALM/sprints')],
      ] as const) {
        const off = await browser.get(page)
        assert.equal(off.status, 404)
        assert.match(off.text, /Sprints: switched off in this project/)
        assert.match(off.text, new RegExp(`<a href="${page.replace('sprints', 'features')}">`))
      }
    },
  )

  verifies('portal.project_parts', 'folders are created, renamed, moved and deleted', async () => {
    const page = '/projects/SHOP/library'
    await send(editor, page, page, { path: 'Guides/Setup' })
    await send(editor, page, page, { path: 'Old' })
    const { library } = await caller.call('library_tree_get', { project_key: 'SHOP' })
    const [guides, old] = ['Guides', 'Old'].map(name =>
      library.folders.find((folder: { name: string }) => folder.name === name),
    )
    await send(editor, page, `${page}/${old.id}/rename`, { name: 'Archive' })
    assert.equal((await send(editor, page, `${page}/${old.id}/rename`, { name: 'guides' })).status, 422)
    assert.equal((await send(editor, page, `${page}/${guides.id}/move`, { parent: guides.folders[0].id })).status, 422)
    await send(editor, page, `${page}/${old.id}/move`, { parent: guides.folders[0].id })
    const moved = (await caller.call('library_tree_get', { project_key: 'SHOP' })).library
    assert.equal(moved.folders[0].folders[0].folders[0].name, 'Archive')
    await send(editor, page, `${page}/${guides.id}/delete`)
    assert.deepEqual((await caller.call('library_tree_get', { project_key: 'SHOP' })).library.folders, [])
    assert.match((await owner.get(page)).text, /How payments work/)
  })

  verifies(
    ['portal.project_parts', 'portal.code_link'],
    'a series is created and frozen, a repository linked with a secret that is shown once',
    async () => {
      const page = '/settings/numbering'
      const wrong = await send(owner, page, page, { series_key: 'Req', prefix: 'req', name: '', start: '1' })
      assert.equal(wrong.status, 422)
      await send(owner, page, page, { series_key: 'req', prefix: 'REQ', name: 'Requirements', start: '7' })
      assert.match((await owner.get(page)).text, /REQ-7/)
      await send(owner, page, `${page}/req/freeze`, { level: 'no_new' })
      await assert.rejects(caller.call('custom_numbers_assign', { item_ref: work.task, series_key: 'req' }), {
        code: 'frozen',
      })
      const code = '/projects/SHOP/code'
      const made = await send(owner, code, code, { host: 'gitea', repository: 'acme/store' })
      assert.equal(made.status, 200)
      const [url, secret] = [...made.text.matchAll(/<code>([^<]+)<\/code>/g)].map(match => match[1]!)
      assert.match(url!, /\/hooks\/gitea\/[\w-]+$/)
      assert.match(secret!, /^[\w-]{32}$/)
      const after = await owner.get(code)
      assert.match(after.text, /acme\/store/)
      assert.ok(!after.text.includes(secret!))
      const unlink = /action="(\/projects\/SHOP\/code\/[\w-]+\/unlink)"/.exec(after.text)![1]!
      await owner.send(unlink)
      assert.doesNotMatch((await owner.get(code)).text, /acme\/store/)
    },
  )

  verifies(
    'portal.rights',
    'viewers read, editors change items, owners administer, and others find nothing',
    async () => {
      const pages = [
        item(),
        `${item()}/history`,
        `${item()}/revisions`,
        ...[
          'board',
          'sprints',
          'library',
          'settings',
          'members',
          'features',
          'workflow',
          'kinds',
          'fields',
          'code',
        ].map(name => `/projects/SHOP/${name}`),
        `/projects/SHOP/sprints/${work.sprintId}`,
      ]
      for (const page of pages) {
        assert.equal((await viewer.get(page)).status, 200, page)
        const forms = (await viewer.get(page)).text.matchAll(/<form\s+method="post"\s+action="([^"]+)"/g)
        assert.deepEqual(
          [...forms].map(match => match[1]),
          ['/sign-out'],
          page,
        )
        const { status, text } = await stranger.get(page)
        assert.equal(status, 404, page)
        assert.doesNotMatch(text, /Web shop|Pay by card/)
      }
      for (const [address, fields] of [
        ['/projects/SHOP/settings', { name: 'Mine', description: '', estimate_unit: 'none' }],
        ['/projects/SHOP/members', { email: people.viewer, role: 'editor' }],
        ['/projects/SHOP/kinds', { kinds: 'mine' }],
        ['/projects/SHOP/code', { host: 'github', repository: 'a/b' }],
      ] as const) {
        const proof = await proofOf(people.editor, address)
        const refused = await editor.post(address, { proof, ...fields })
        assert.equal(refused.status, 403, address)
        assert.match(refused.text, /Only the owner/)
        const other = await proofOf(people.stranger, address)
        assert.equal((await stranger.post(address, { proof: other, ...fields })).status, 404, address)
      }
      const of = { parent_kind: 'item', parent_ref: work.task }
      const file = { filename: 'rates.txt', mime_type: 'text/plain', content_base64: 'YQ==' }
      const { attachment } = await caller.call('attachments_upload', { ...of, ...file })
      const deletion = `/files/${attachment.id}/delete`
      const { discussion } = await caller.call('discussions_create', { item_ref: work.task, body: 'Ours' })
      const uncommented = `/comments/${discussion.id}/delete`
      for (const [address, fields] of [
        [`${item()}${deletion}`, {}],
        [`${item()}${uncommented}`, {}],
        [`${item()}/state`, { status_definition_id: 'Done' }],
        [`${item()}/comments`, { body: 'x', kind: 'fact' }],
        ['/projects/SHOP/library', { path: 'X' }],
      ] as const) {
        const proof = await proofOf(people.viewer, address)
        assert.equal((await viewer.post(address, { proof, ...fields })).status, 403, address)
      }
      const note = `/projects/SHOP/items/${work.note.split('#')[1]}`
      for (const [address, status] of [
        [`${note}${deletion}`, 409],
        [`${note}${uncommented}`, 409],
        [`${item()}${uncommented}`, 403],
      ] as const) {
        const proof = await proofOf(people.editor, address)
        assert.equal((await editor.post(address, { proof })).status, status, address)
      }
      assert.deepEqual(await caller.call('attachments_list', of), { attachments: [attachment] })
      assert.equal((await caller.call('items_get', { item_ref: work.task })).item.status, 'Backlog')
    },
  )

  /** Computes the CSRF proof of a form that the page does not show to this browser. */
  const proofOf = async (email: string, address: string): Promise<string> => {
    const [session] = await portal.host.sql<{ id: string }>`
      select s.id from portal.sessions s join core.users u on u.id = s.owner_id where u.email = ${email} order by s.id desc limit 1`
    return createCsrfToken(services, session!.id, address)
  }

  verifies(
    'portal.settings',
    'settings are shown, the chat language selected, notifications marked as read',
    async () => {
      const page = '/settings/chat'
      assert.match((await owner.get(page)).text, /limits\.bulk_items[\s\S]*25/)
      await send(owner, page, page, { language: 'ja' })
      const setting = { key: 'chat.language', value: 'ja', source: 'user' }
      assert.deepEqual((await caller.call('settings_list', { prefix: 'chat.language' })).settings, [setting])
      // Apps get "ja"; people read the names of the form.
      const value = (text: string) => /<code>chat\.language<\/code>.*?<td[^>]*>\s*(.*?)\s*<\/td>/s.exec(text)?.[1]
      assert.equal(value((await owner.get(page)).text), '日本語')
      await send(owner, page, page, { language: 'auto' })
      assert.equal(value((await owner.get(page, { 'accept-language': 'ja' })).text), '自分が書いた言語')
      assert.equal((await caller.call('settings_list', { prefix: 'chat.language' })).settings[0].source, 'default')
      const { email, userId } = await portal.newUser()
      const reader = await portal.signedIn(email)
      for (let n = 0; n < 22; n++) {
        await portal.host.sql`insert into workspace.notifications (owner_id, id, kind, title, created_at)
        values (${userId}, ${`0190f2a0-0000-7000-8000-0000000000${String(n + 10)}`}, 'test', ${`Told ${n}`}, now())`
      }
      const first = await reader.get('/notifications')
      // The first notification reports the sign-in of this browser.
      assert.match(first.text, /Signed in from a browser[\s\S]*Told 21[\s\S]*Told 3</)
      assert.doesNotMatch(first.text, /Told 2</)
      assert.match((await reader.get('/notifications?from=20')).text, /Told 2<[\s\S]*Told 0</)
      await send(reader, '/notifications', `/notifications/0190f2a0-0000-7000-8000-000000000031/read`)
      assert.doesNotMatch((await reader.get('/notifications')).text, /Told 21</)
      assert.match((await reader.get('/notifications?show=all')).text, /Told 21</)
      await send(reader, '/notifications', '/notifications')
      assert.match((await reader.get('/notifications')).text, /No notifications/)
    },
  )

  verifies('portal.items', 'an item shows its fields and related records, and its texts are escaped', async () => {
    const { text } = await owner.get(item())
    for (const part of [
      'Urgent',
      'Jun 5',
      'payments',
      'Sprint 2',
      'Ask the bank',
      'SHOP#7',
      '<strong>3-D Secure</strong>',
      '<h2>What is wanted</h2>',
    ])
      assert.ok(text.includes(part), part)
    assert.match(text, /<a href="https:\/\/example.com\/cards" rel="noopener noreferrer">/)
    assert.match(text, /<a href="https:\/\/tracker.example\/x.png" rel="noopener noreferrer">logo<\/a>/)
    assert.doesNotMatch(text, /<script|<img|href="javascript|\sstyle=/)
    await owner.send(`${item()}/comments`, { body: 'Agreed', kind: 'progress' })
    await owner.get(item())
    const step = /action="([^"]+\/steps\/[\w-]+)"/.exec((await owner.get(item())).text)![1]!
    await owner.send(step, { done: 'yes' })
    const after = (await owner.get(item())).text
    assert.match(after, /Agreed/)
    assert.match(after, /<s>Ask the bank<\/s>/)
    assert.equal((await owner.get('/projects/SHOP/items/999999')).status, 404)
    assert.equal((await owner.get('/projects/SHOP/items/x')).status, 404)
  })

  verifies('portal.items', 'the history of an item is shown page by page', async () => {
    const { item: made } = await caller.call('items_create', { project_key: 'SHOP', title: 'Busy' })
    for (let n = 1; n <= 31; n++) await caller.call('items_patch', { item_ref: made.ref, title: `Busy ${n}` })
    const page = `/projects/SHOP/items/${made.ref.split('#')[1]}/history`
    const first = await owner.get(page)
    assert.match(first.text, /Busy 31/)
    assert.doesNotMatch(first.text, /<q>Busy<\/q>/)
    const next = /href="([^"]+from=30)" rel="next"/.exec(first.text)![1]!
    assert.match((await owner.get(next)).text, /<q>Busy<\/q>/)
  })

  verifies(
    ['portal.revisions', 'portal.side_by_side'],
    'a former version is compared with the text and restored, and the current text becomes a version',
    async () => {
      const { note } = work
      const page = `/projects/SHOP/items/${note.split('#')[1]}`
      await caller.call('items_rewrite_detail', { item_ref: note, new_detail: 'First\n\nThird <i>' })
      const list = await owner.get(`${page}/revisions`)
      const address = /href="([^"]+\/revisions\/[\w-]+)"/.exec(list.text)![1]!
      const diff = await owner.get(address)
      assert.match(diff.text, /<del>Second<\/del>[\s\S]*<ins>Third &lt;i&gt;<\/ins>/)
      const side = await owner.get(`${address}?view=side`)
      const [wide, narrow] = side.text.split('class="when-narrow"') as [string, string]
      assert.match(
        wide,
        /<del>Second<\/del><\/td>\s*<td class="added">3<\/td>\s*<td class="added">[^\n]*<ins>Third &lt;i&gt;<\/ins>/,
      )
      assert.match(narrow, /<del>Second<\/del>[\s\S]*<ins>Third &lt;i&gt;<\/ins>/)
      assert.equal((await viewer.get(`/projects/SHOP/items/${note.split('#')[1]}/revisions`)).status, 200)
      assert.equal((await owner.send(`${address}/restore`)).location, page)
      assert.equal((await caller.call('items_get', { item_ref: note })).item.detail, 'First\n\nSecond')
      assert.equal((await caller.call('note_revisions_list', { item_ref: note })).revisions.length, 2)
      assert.equal((await stranger.get(address)).status, 404)
      assert.equal((await owner.get(`${page}/revisions/x`)).status, 404)
    },
  )

  verifies('portal.board', 'the board has every state, a filter, and moves cards', async () => {
    const page = '/projects/SHOP/board'
    const all = await owner.get(page)
    for (const part of ['Backlog', 'In review', 'Pay by card', 'カートの合計']) assert.ok(all.text.includes(part), part)
    const some = await owner.get(`${page}?q=label:payments`)
    assert.match(some.text, /Pay by card/)
    assert.doesNotMatch(some.text, /Remember the address/)
    const wrong = await owner.get(`${page}?q=${encodeURIComponent('nonsense:"<b>"')}`)
    assert.equal(wrong.status, 200)
    assert.match(wrong.text, /class="problem"/)
    assert.doesNotMatch(wrong.text, /<b>/)
    const { states } = await caller.call('workflow_states_list', { project_key: 'SHOP' })
    const review = states.find((state: { name: string }) => state.name === 'In review').id
    const moved = await send(editor, `${page}?q=label:payments`, `${page}/${number()}`, {
      status_definition_id: review,
      q: 'label:payments',
    })
    assert.equal(moved.location, `${page}?q=label%3Apayments#card-${number()}`)
    assert.equal((await caller.call('items_get', { item_ref: work.task })).item.status, 'In review')
  })

  verifies('portal.charts', 'a sprint shows its burndown and forecast, and closed sprints their velocity', async () => {
    const { text } = await owner.get(`/projects/SHOP/sprints/${work.sprintId}`)
    assert.match(
      text,
      /<svg[^>]*role="img"[\s\S]*<title[^>]*>Burndown<\/title>\s*<desc[^>]*>18 of 20 points are left\.<\/desc>/,
    )
    assert.match(text, /<path\s+class="fan"\s+d="M/)
    const { p50, p95 } = await caller.call('agile_sprint_forecast', { sprint_id: work.sprintId })
    const written = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
    for (const day of [p50, p95]) assert.ok(text.includes(`<dd>${written.format(new Date(day))}</dd>`), day)
    assert.match(text, /May 31<[\s\S]*18 points/)
    const list = await owner.get('/projects/SHOP/sprints')
    assert.match(list.text, /<rect\s+class="velocity"/)
    assert.match(list.text, /12 points/)
    const closed = await owner.get(`/projects/SHOP/sprints/${work.closedSprintId}`)
    assert.match(closed.text, /3 of 15 points were not finished/)
    assert.doesNotMatch(closed.text, /class="fan"/)
    assert.equal((await owner.get(`/projects/INBOX/sprints/${work.sprintId}`)).status, 404)
  })

  verifies('portal.statements', 'board, item and sprint send as many statements for many rows as for few', async () => {
    const count = async (page: string): Promise<number> => (await portal.host.statements(() => owner.get(page))).length
    const pages = ['/projects/SHOP/board', item(), `/projects/SHOP/sprints/${work.sprintId}`, '/projects/SHOP/library']
    const before = []
    for (const page of pages) before.push(await count(page))
    for (let n = 0; n < 12; n++) {
      await caller.call('items_create', { project_key: 'SHOP', title: `More ${n}`, sprint: 'Sprint 2' })
      await caller.call('checklist_add', { item_ref: work.task, content: `Step ${n}` })
      await caller.call('notes_create', { project_key: 'SHOP', title: `Note ${n}`, body: 'x' })
    }
    const after = []
    for (const page of pages) after.push(await count(page))
    assert.deepEqual(after, before)
    assert.ok(Math.max(...before) <= 14, String(before))
  })
})
