import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { browserName } from '../../../plugins/portal/auth/browser-name.ts'
import { longestTurn } from '../../longest-turn.ts'

test('a browser is named, also by a header that is made to be slow to read', async () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36'
  assert.equal(browserName(chrome), 'Chrome, Windows')
  assert.equal(browserName(`${chrome} Edg/141.0`), 'Edge, Windows')
  assert.equal(
    browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) CriOS/141.0 Safari/604.1'),
    'Chrome, iPhone',
  )
  assert.equal(browserName('curl/8.14'), 'curl/8.14')
  const long = 'x'.repeat(100_000)
  assert.ok((await longestTurn(async () => browserName(long))) < 50)
})

test('a visitor has an id that the service made', async t => {
  const host = await testHost(t, { only: ['portal'] })
  const cookiesOf = async (visitor: string) => {
    const { headers } = await host.app.inject({ url: '/sign-in', headers: { cookie: `tasuki-visitor=${visitor}` } })
    return [headers['set-cookie'] ?? []].flat().filter(cookie => cookie.startsWith('tasuki-visitor='))
  }
  assert.deepEqual(await cookiesOf('a'.repeat(32)), [])
  for (const other of [`${'a'.repeat(30)}%00notice`, 'a'.repeat(31), 'a'.repeat(2000)]) {
    const [cookie] = await cookiesOf(other)
    assert.match(cookie!, /^tasuki-visitor=[\w-]{32};/)
  }
})
