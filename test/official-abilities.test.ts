import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from './engines.ts'

const info = { name: 'tasuki test', version: '1.0.0' }
const ITEM = 'tasuki://item/APP%231'

forEachEngine('resources, prompts and completion through the official clients', engine => {
  let started: { host: TestHost; url: string; token: string; close(): Promise<void> }
  before(async () => {
    started = await startHost({ engine })
    await started.host.command('project create', { key: 'APP', name: 'App' })
    await started.host.call('items_create', { project_key: 'APP', title: 'Harbour' })
  })
  after(() => started.close())

  const requestInit = () => ({ headers: { authorization: `Bearer ${started.token}` } })
  const classic = async () => {
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(new URL(started.url), { requestInit: requestInit() }))
    return client
  }
  const modern = async (mode: 'legacy' | { pin: string }) => {
    const client = new ModernClient(info, { versionNegotiation: { mode } })
    await client.connect(new ModernTransport(new URL(started.url), { requestInit: requestInit() }))
    return client
  }
  const CLIENTS = {
    'SDK 1.x': classic,
    'client 2.x, 2025-11-25': () => modern('legacy'),
    'client 2.x, 2026-07-28': () => modern({ pin: '2026-07-28' }),
  }

  for (const [name, connect] of Object.entries(CLIENTS)) {
    test(`${name} lists, reads, gets and completes`, async () => {
      const client = await connect()
      const { resources } = await client.listResources()
      assert.deepEqual(
        resources.map(({ uri, title }) => [uri, title]),
        [[ITEM, 'Harbour']],
      )
      const { resourceTemplates } = await client.listResourceTemplates()
      assert.equal(resourceTemplates.length, 3)
      const [content] = (await client.readResource({ uri: ITEM })).contents
      assert.equal(JSON.parse((content as { text: string }).text).title, 'Harbour')
      await assert.rejects(client.readResource({ uri: 'tasuki://item/APP%232' }), /not found/)
      const { prompts } = await client.listPrompts()
      assert.ok(prompts.some(prompt => prompt.name === 'plan_sprint'))
      const { messages } = await client.getPrompt({ name: 'plan_sprint', arguments: { project: 'APP' } })
      assert.match((messages[0]!.content as { text: string }).text, /sprints_list with project_key=APP/)
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'tasuki://item/{item}' },
        argument: { name: 'item', value: 'harb' },
      })
      assert.deepEqual(completion.values, ['APP#1'])
      const { icons, websiteUrl } = client.getServerVersion()!
      assert.ok(icons![0]!.src.startsWith('data:image/svg+xml;base64,') && websiteUrl?.startsWith('http'))
      await client.close()
    })
  }

  test('client 2.x, 2026-07-28 is notified of a subscribed item', async () => {
    const client = await modern({ pin: '2026-07-28' })
    const notified = new Promise<string>(resolve => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
    })
    const subscription = await client.listen({ resourceSubscriptions: [ITEM] })
    await started.host.call('items_patch', { item_ref: 'APP#1', priority: 'high' })
    assert.equal(await notified, ITEM)
    await subscription.close()
    await client.close()
  })
})
