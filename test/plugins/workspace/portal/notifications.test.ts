import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { providerName } from '../../../../plugins/portal/auth/provider-name.ts'
import { reasonText } from '../../../../plugins/workspace/portal/reasons.ts'
import { forEachEngine } from '../../../engines.ts'
import { acceptAll } from '../../../members.ts'
import { portalHost } from '../../portal/portal-host.ts'
import { fillWork } from '../../portal/fill-portal.ts'

forEachEngine('notifications of a person', engine => {
  const portal = portalHost(engine)

  test('are in their language', async () => {
    const caller = await portal.newUser()
    const { email } = await portal.newUser()
    const owner = await portal.signedIn(caller.email)
    await owner.get('/projects')
    await owner.send('/projects', { key: 'SHOP', name: 'Web shop', description: '' })
    await owner.get('/projects/SHOP/members')
    await owner.send('/projects/SHOP/members', { email, role: 'editor' })
    await portal.host.write(ctx => acceptAll(ctx, email))
    const { task, earlier } = await fillWork(caller, portal)
    await caller.call('discussions_create', { item_ref: task, kind: 'fact', body: `@${email} please look` })
    const editor = await portal.signedIn(email)
    const english = (await editor.get('/notifications')).text
    assert.match(english, new RegExp(`You were mentioned on ${caller.email}/SHOP#\\d+ &quot;Pay by card&quot;`))
    assert.match(english, /\/SHOP: sprint &quot;Sprint 1&quot; closed[\s\S]*4 of 5 items done, velocity 12 points\./)
    const japanese = (await editor.get('/notifications', { 'accept-language': 'ja' })).text
    assert.match(japanese, /SHOP#\d+ 「Pay by card」 でメンションされました[\s\S]*please look/)
    assert.match(japanese, /スプリント「Sprint 1」が終了しました[\s\S]*5 件中 4 件が完了、ベロシティ 12 ポイント。/)
    // Reasons that the service itself gives for changes are translated too, as is the text next to commands to copy.
    const history = `/projects/SHOP/items/${earlier.split('#')[1]}/history`
    assert.match((await owner.get(history)).text, /<p>&quot;Sprint 1&quot; was closed<\/p>/)
    assert.match((await owner.get(history, { 'accept-language': 'ja' })).text, /<p>「Sprint 1」の終了による変更<\/p>/)
    const { text: clients } = await owner.get('/settings/integrations', { 'accept-language': 'ja' })
    assert.deepEqual(clients.match(/^# ../gm), ['# 続い', '# 続い', '# 環境', '# 続い'])
  })
  test('reasons of the service are translated, texts of people are not', async () => {
    assert.equal(reasonText('ja', 'Split at the end of "Web/Sprint 3"'), '「Web/Sprint 3」の終了時に分割')
    const { call } = await portal.newUser()
    const template = await call('templates_create', {
      title: 'Every day',
      recurrence_rule: 'FREQ=DAILY',
      generation_strategy: 'supersede_previous',
    })
    const first = await call('templates_run', { template_ref: template.item.ref })
    await call('templates_run', { template_ref: template.item.ref })
    const { activities } = await call('activities_list', { item_ref: first.item.ref })
    const reasons = activities.flatMap(({ reason }: { reason?: string }) => (reason === undefined ? [] : [reason]))
    assert.ok(reasons.length > 0)
    for (const reason of reasons) assert.equal(reasonText('ja', reason), 'テンプレートの次のタスクに置き換え')
    const provider = { issuer: 'https://id.example', client_id: 'x', scope: 'openid', trust_email: false }
    assert.equal(providerName('ja', provider), 'シングルサインオン')
    assert.equal(providerName('ja', { ...provider, name: 'Example ID' }), 'Example ID')
    assert.equal(reasonText('ja', 'Imported from Jira CSV: WEB-1'), 'Jira CSV: WEB-1 からインポート')
    assert.equal(reasonText('ja', 'The shop was closed: flood'), 'The shop was closed: flood')
  })

  test("say in the person's language why a template failed, with the error of the server", async () => {
    const { userId, email, call } = await portal.newUser()
    const { item } = await call('templates_create', { title: 'Every day', recurrence_rule: 'FREQ=DAILY' })
    const rows = [
      ['The series bill is frozen.', { code: 'frozen', field: 'series_key' }],
      ['The workflow Own has no closed state.', { code: 'workflow_mismatch' }],
      ['It is tried again; the log of the server says more.', { code: 'internal' }],
      ['Told by an older server.', null],
      ['Told by a newer server.', { code: 'toString' }],
    ] as const
    for (const [body, data] of rows)
      await portal.host.sql`
        insert into workspace.notifications (owner_id, id, kind, title, body, item_owner_id, item_id, data, created_at)
        values (${userId}, ${randomUUID()}, 'template.failed', 'No task was made', ${body}, ${userId},
          (select item_id from templates.templates where owner_id = ${userId}), ${data && JSON.stringify(data)}::jsonb, ${portal.now})`
    const browser = await portal.signedIn(email)
    const english = (await browser.get('/notifications')).text
    for (const [body] of rows) assert.ok(english.includes(`<p>${body}</p>`), body)
    const japanese = (await browser.get('/notifications', { 'accept-language': 'ja' })).text
    assert.equal(
      japanese.split(`${item.ref} 「Every day」 からタスクを作成できませんでした`).length,
      2 * rows.length + 1,
    )
    for (const [sentence, body] of [
      ['系列が凍結されています。系列の所有者が設定の「採番」で解除できます。', 'The series bill is frozen.'],
      [
        '必要な状態がワークフローにありません。プロジェクトのワークフローを確認してください。',
        'The workflow Own has no closed state.',
      ],
      ['', 'Told by an older server.'],
      ['', 'Told by a newer server.'],
    ])
      assert.ok(
        japanese.includes(`<p>${sentence}自動的に再試行されます。 <small class="detail" lang="en">${body}</small></p>`),
        body,
      )
    assert.match(japanese, /<p>詳しい内容はサーバーのログにあります。自動的に再試行されます。<\/p>/)
  })
})
