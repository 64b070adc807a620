import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { portalHost } from './portal-host.ts'
import { fillWork } from './work.ts'

forEachEngine('the news of a person', engine => {
  const portal = portalHost(engine)

  test('are in their language', async () => {
    const caller = await portal.newUser()
    const { email } = await portal.newUser()
    const owner = await portal.signedIn(caller.email)
    await owner.get('/projects')
    await owner.send('/projects', { key: 'SHOP', name: 'Web shop', description: '' })
    await owner.get('/projects/SHOP/members')
    await owner.send('/projects/SHOP/members', { email, role: 'editor' })
    const { task } = await fillWork(caller, portal)
    await caller.call('discussions_create', { item_ref: task, kind: 'fact', body: `@${email} please look` })
    const editor = await portal.signedIn(email)
    const english = (await editor.get('/notifications')).text
    assert.match(english, /You were mentioned on SHOP#\d+ Pay by card/)
    assert.match(english, /SHOP: sprint Sprint 1 closed[\s\S]*4 of 5 items done, velocity 12 points\./)
    const japanese = (await editor.get('/notifications', { 'accept-language': 'ja' })).text
    assert.match(japanese, /SHOP#\d+ Pay by card でメンションされました[\s\S]*please look/)
    assert.match(japanese, /スプリント Sprint 1 が終了しました[\s\S]*5 件中 4 件が完了、ベロシティ 12 ポイント。/)
  })
})
