import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { legacy, modern, resultOf, send, startDemo, toolResult, type Demo } from './stub.ts'
import { verifies } from '../../verifies.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.app.close())

describe('results', () => {
  verifies(
    'revisions.2026_07_28',
    'a modern list has its cache lifetime and scope, and the name of the server',
    async () => {
      for (const method of [
        'server/discover',
        'tools/list',
        'prompts/list',
        'resources/list',
        'resources/templates/list',
      ]) {
        const result = resultOf(await send(demo.app, modern(method)))
        assert.equal(result['resultType'], 'complete')
        assert.ok((result['ttlMs'] as number) > 0)
        assert.equal(result['cacheScope'], 'private')
        assert.deepEqual(result['_meta'], {
          'io.modelcontextprotocol/serverInfo': { name: 'demo', title: 'Demo', version: '1.2.3' },
        })
      }
    },
  )

  verifies('revisions.discover', 'server/discover names the modern revisions and what the server can do', async () => {
    const result = resultOf(await send(demo.app, modern('server/discover')))
    assert.deepEqual(result['supportedVersions'], ['2026-07-28'])
    assert.deepEqual(result['capabilities'], { tools: {}, logging: {}, prompts: {}, completions: {}, resources: {} })
  })

  verifies('revisions.shape', 'a legacy result has no modern members', async () => {
    const result = resultOf(await send(demo.app, legacy('2025-11-25', 'tools/list')))
    assert.deepEqual(Object.keys(result), ['tools'])
  })

  test('the text of a tool result is its structured content, minified, in every revision', async () => {
    const params = { name: 'echo', arguments: { word: 'ä"\n' } }
    for (const post of [
      ...['2025-03-26', '2025-11-25'].map(revision => legacy(revision, 'tools/call', params)),
      modern('tools/call', params),
    ]) {
      const { content, structuredContent, isError } = toolResult(await send(demo.app, post))
      assert.deepEqual(structuredContent, { word: 'ä"\n' })
      assert.equal(content[0]!.text, JSON.stringify({ word: 'ä"\n' }))
      assert.equal(isError, undefined)
    }
  })

  verifies('results.error_text_alone', 'a refusal has text and no structured content, in every revision', async () => {
    const params = { name: 'echo', arguments: { wort: 'a' } }
    for (const post of [
      ...['2025-03-26', '2025-06-18', '2025-11-25'].map(revision => legacy(revision, 'tools/call', params)),
      modern('tools/call', params),
    ]) {
      const { structuredContent, isError, payload } = toolResult(await send(demo.app, post))
      assert.deepEqual([isError, structuredContent], [true, undefined])
      assert.ok(payload.error !== undefined)
    }
  })

  test('a resource link becomes text in revisions without resource links', async () => {
    const params = { name: 'links_list' }
    const old = toolResult(await send(demo.app, legacy('2025-03-26', 'tools/call', params)))
    assert.deepEqual(old.content, [
      { type: 'text', text: '{"ok":true}' },
      { type: 'text', text: '"x": https://x.example/' },
    ])
    const current = toolResult(await send(demo.app, legacy('2025-06-18', 'tools/call', params)))
    assert.equal(current.content[1]!.type, 'resource_link')
  })

  test('prompts, resources and completions come from the plugins', async () => {
    const get = async (method: string, params: Readonly<Record<string, unknown>>) =>
      resultOf(await send(demo.app, legacy('2025-11-25', method, params)))
    const prompt = await get('prompts/get', { name: 'plan_day', arguments: { day: 'monday' } })
    assert.deepEqual(prompt['messages'], [{ role: 'user', content: { type: 'text', text: 'Plan monday' } }])
    const resource = await get('resources/read', { uri: 'demo://notes/a%20b' })
    assert.deepEqual(resource['contents'], [{ uri: 'demo://notes/a%20b', text: 'Note a b' }])
    const ref = { type: 'ref/prompt', name: 'plan_day' }
    const { completion } = await get('completion/complete', { ref, argument: { name: 'day', value: 'm' } })
    assert.deepEqual(completion, { values: ['monday'], total: 1, hasMore: false })
    const template = { type: 'ref/resource', uri: 'demo://notes/{id}' }
    assert.ok(await get('completion/complete', { ref: template, argument: { name: 'id', value: '' } }))
  })
})
