import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../engines.ts'

forEachEngine('disabling by command', engine => {
  test('the operator blocks a user at once, and unblocks the user', async t => {
    const email = 'ann@example.com'
    const host = await testHost(t, { engine })
    const user = await host.user(email)
    assert.equal((await user.rpc('tools/list')).status, 200)
    assert.match((await host.command('user disable', { email })).text!, /disabled.*tasuki user enable/)
    assert.equal((await user.rpc('tools/list')).status, 401)
    const { rows = [] } = await host.command('user list')
    const disabled = rows.filter(row => row['disabled_at'] !== null)
    assert.deepEqual([rows.length, disabled.map(row => row['email'])], [2, [email]])
    await host.command('user enable', { email })
    assert.equal((await user.rpc('tools/list')).status, 200)
    await host.audit.flush()
    const { text } = await host.command('audit', { limit: 1000, format: 'json' })
    for (const action of ['user.disabled', 'user.enabled']) assert.match(text!, new RegExp(`"action":"${action}"`))
    await assert.rejects(host.command('user disable', { email: 'nobody@example.com' }), /nobody@example\.com/)
  })
})
