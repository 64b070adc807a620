import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { listen } from './events.ts'
import { startDemo, type Demo } from './stub.ts'

let demo: Demo
let url: URL
before(async () => {
  demo = await startDemo()
  url = new URL(await listen(demo.app))
})
after(() => demo.app.close())

const info = { name: 'referee', version: '1.0.0' }
/** Asserts that the client passes the refusal on, and does not report that it breaks the output schema of the tool. */
function assertRefusal(result: Readonly<Record<string, unknown>>): void {
  assert.equal(result['isError'], true)
  const [block] = result['content'] as { text: string }[]
  const { error } = JSON.parse(block!.text) as { error: { code: string; hint: string } }
  assert.deepEqual([error.code, error.hint], ['unknown_argument', 'Did you mean "word"?'])
}

const requestInit = { headers: { authorization: 'Bearer writer' } }

describe('the official client of the 2025 revisions', () => {
  test('lists, calls, reads, completes and is asked', async () => {
    const client = new Client(info, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { confirm: true } }))
    const transport = new StreamableHTTPClientTransport(url, { requestInit })
    await client.connect(transport)
    assert.ok((await client.listTools()).tools.some(({ name }) => name === 'note_delete'))
    assert.deepEqual((await client.callTool({ name: 'echo', arguments: { word: 'a' } })).structuredContent, {
      word: 'a',
    })
    assert.deepEqual((await client.callTool({ name: 'note_delete', arguments: { id: 7 } })).structuredContent, {
      deleted: true,
      id: 7,
    })
    assertRefusal(await client.callTool({ name: 'echo', arguments: { word: 'a', wort: 'b' } }))
    assert.equal((await client.readResource({ uri: 'demo://about' })).contents[0]!.uri, 'demo://about')
    assert.equal((await client.getPrompt({ name: 'plan_day', arguments: { day: 'monday' } })).messages.length, 1)
    await assert.rejects(client.callTool({ name: 'nope' }), { code: -32602 })
    await transport.terminateSession()
    await client.close()
  })
})

describe('the official client of 2026-07-28', () => {
  for (const mode of ['auto', { pin: '2026-07-28' }, 'legacy'] as const) {
    test(`lists and calls with version negotiation ${JSON.stringify(mode)}`, async () => {
      const client = new ModernClient(info, { versionNegotiation: { mode } })
      await client.connect(new ModernTransport(url, { requestInit }))
      assert.ok((await client.listTools()).tools.some(({ name }) => name === 'echo'))
      const { structuredContent } = await client.callTool({ name: 'echo', arguments: { word: 'ü' } })
      assert.deepEqual(structuredContent, { word: 'ü' })
      assertRefusal(await client.callTool({ name: 'echo', arguments: { word: 'a', wort: 'b' } }))
      await client.close()
    })
  }
})
