import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noPostgres } from '../../engines.ts'
import { networkFaultHost } from '../../network-fault-host.ts'

test(
  'a form whose commit was not answered says that the outcome is unknown, and what to do',
  { skip: noPostgres },
  async t => {
    const { host, loseCommits, cut } = await networkFaultHost(t, { config: { plugins: { portal: {} } } })
    const browser = await host.browser()
    const fields = { name: 'Ann', time_zone: 'Asia/Tokyo', language: 'auto', theme: 'dark' }
    for (const [language, said] of [
      ['en', /Saved or not.*see whether it was done/s],
      ['ja', /保存されたかどうか不明.*反映されているか/s],
    ] as const) {
      await browser.get('/settings/account')
      loseCommits(1)
      const page = await browser.send('/settings/account', fields, { 'accept-language': language })
      assert.equal(page.status, 503)
      assert.match(page.text, said)
      assert.equal(page.headers['retry-after'], undefined, 'nothing shall send it again by itself')
    }
    await browser.get('/settings/account')
    await cut()
    const away = await browser.get('/settings/account')
    assert.deepEqual([away.status, away.headers['retry-after']], [503, '2'])
  },
)
