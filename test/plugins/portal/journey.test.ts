import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { auth as classicAuth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { testHost, type TestHost } from 'tasuki/testing'
import { launchChromium, skipWithoutChromium } from '../../chromium.ts'
import { clientMemory, type ClientMemory } from '../../core/identity/oauth/client-memory.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { PASSWORD } from './portal-host.ts'

const EMAIL = 'owner@example.com'
const info = { name: 'Journey', version: '1.0.0' }

/** A local client program: its first request, and its continuation with the redirect of the browser. */
interface Traveller {
  begin(memory: ClientMemory, url: string): Promise<void>
  finish(memory: ClientMemory, url: string, callback: URL): Promise<readonly string[]>
}

function modern(mode: 'legacy' | { readonly pin: string }): Traveller {
  const connect = async (memory: ClientMemory, url: string) => {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: memory.provider })
    const client = new Client(info, { versionNegotiation: { mode } })
    return { transport, client, done: client.connect(transport) }
  }
  let begun: StreamableHTTPClientTransport
  return {
    async begin(memory, url) {
      const { transport, done } = await connect(memory, url)
      begun = transport
      await assert.rejects(done)
    },
    async finish(memory, url, callback) {
      await begun.finishAuth(callback.searchParams)
      const { client, done } = await connect(memory, url)
      await done
      const { tools } = await client.listTools()
      await client.close()
      return tools.map(({ name }) => name)
    },
  }
}

const classic: Traveller = {
  async begin(memory, url) {
    assert.equal(await classicAuth(memory.provider as never, { serverUrl: url }), 'REDIRECT')
  },
  async finish(memory, url, callback) {
    const authorizationCode = callback.searchParams.get('code')!
    assert.equal(await classicAuth(memory.provider as never, { serverUrl: url, authorizationCode }), 'AUTHORIZED')
    const client = new ClassicClient(info)
    await client.connect(new ClassicTransport(new URL(url), { authProvider: memory.provider }))
    const { tools } = await client.listTools()
    await client.close()
    return tools.map(({ name }) => name)
  },
}

const TRAVELLERS = [
  ['client 2.x, 2026-07-28', modern({ pin: '2026-07-28' })],
  ['client 2.x, 2025-11-25', modern('legacy')],
  ['SDK 1.x', classic],
] as const

forEachEngine('from a bare 401 to tools/list in Chromium', engine => {
  const scope = suiteScope()
  const secret = randomBytes(32)
  let host: TestHost
  let mcp = ''
  let browser: Browser
  let callback = ''
  /** Redirects to the program. */
  const returned: URL[] = []
  before(
    async () => {
      if (skipWithoutChromium) return
      host = await testHost(scope, { engine, secret })
      mcp = await host.listen()
      browser = await launchChromium()
      scope.after(() => browser.close())
      const program = createServer((request, response) => {
        const url = new URL(request.url!, callback)
        if (url.pathname === '/callback') returned.push(url)
        response.end('You may close this page.')
      })
      await new Promise<void>(done => program.listen(0, '127.0.0.1', done))
      scope.after(async () => void program.close())
      callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`
      const { text } = await host.command('portal setup-link', { user: EMAIL })
      const page = await newPage()
      await page.goto(text!.split('\n')[0]!)
      await page.fill('[name=password]', PASSWORD)
      await page.fill('[name=again]', PASSWORD)
      await page.click('main button[type=submit]')
      await page.waitForURL(url => !url.pathname.startsWith('/setup'))
      await page.context().close()
    },
    { timeout: 60_000 },
  )
  const newPage = async (): Promise<Page> => (await browser.newContext({ locale: 'en-US' })).newPage()

  /** Signs in if asked, allows, and waits for the redirect to the program. */
  async function approve(page: Page, address: URL): Promise<URL> {
    const before = returned.length
    await page.goto(String(address))
    if (new URL(page.url()).pathname === '/sign-in') {
      await page.fill('[name=email]', EMAIL)
      await page.fill('[name=password]', PASSWORD)
      await page.click('main button[type=submit]')
    }
    await page.click('button[value=allow]')
    await page.waitForURL(url => String(url).startsWith(callback))
    assert.equal(returned.length, before + 1)
    return returned.at(-1)!
  }

  for (const [name, traveller] of TRAVELLERS) {
    verifies(
      'portal.journey',
      `${name}: registration, sign-in, consent, tools/list, and disconnecting in the portal at once`,
      { skip: skipWithoutChromium },
      async t => {
        const memory = clientMemory({ client_name: name }, undefined, callback)
        await traveller.begin(memory, mcp)
        const page = await newPage()
        const names = await traveller.finish(memory, mcp, await approve(page, memory.authorizationUrl()))
        assert.equal(names.length, 100)

        const listed = async (address: string): Promise<number> => {
          const answer = await fetch(address, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${memory.tokens()!.access_token}`,
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
              'mcp-protocol-version': '2025-11-25',
            },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
          })
          await answer.text()
          return answer.status
        }
        const instances = [mcp]
        if (engine === 'postgres') {
          const second = await testHost(t, { database: host.databaseOptions, secret, baseUrl: new URL(mcp).origin })
          instances.push(await second.listen())
        }
        for (const each of instances) assert.equal(await listed(each), 200)

        await page.goto(`${new URL(mcp).origin}/settings/integrations`)
        const row = page.locator('tr, li, section', { hasText: name }).last()
        await row.locator('form[action$="/disconnect"] button').click()
        await page.waitForSelector('text=was disconnected')
        for (const each of instances) assert.equal(await listed(each), 401)
        await page.context().close()
      },
    )
  }
})
