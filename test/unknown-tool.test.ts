import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { testHost, type TestHost } from '../core/testing/index.ts'
import { suiteScope } from './core/suite-scope.ts'

describe('an unknown tool name', () => {
  const scope = suiteScope()
  let host: TestHost
  before(async () => {
    host = await testHost(scope, { config: { plugins: { labels: false } } })
  })
  const refusal = async (name: string, query = ''): Promise<string> => {
    const { body } = await host.rpc('tools/call', { name, arguments: {} }, { query })
    assert.equal(body.error.code, -32602)
    return body.error.message as string
  }

  for (const [name, meant] of [
    ['items_creat', 'items_create'],
    ['item_create', 'items_create'],
    ['createItem', 'items_create'],
    ['create-item', 'items_create'],
    ['items_add', 'items_create'],
    ['items_update', 'items_patch'],
    ['items_edit', 'items_patch'],
    ['tasks_search', 'tasks_list'],
    ['list_projects', 'projects_list'],
    ['reminders_remove', 'reminders_delete'],
    ['relations_add', 'relations_create'],
    ['sprint_finish', 'sprints_close'],
  ] as const) {
    test(`${name} is resolved to ${meant}`, async () => {
      assert.equal(await refusal(name), `Unknown tool: ${name}; did you mean ${meant}?`)
    })
  }

  test('every tool is recognized after the names that clients put before', async () => {
    const names = [...host.registry.tools.keys()]
    for (const name of names)
      for (const prefix of ['mcp__tasuki__', 'tasuki.', 'functions/'])
        assert.equal(await refusal(`${prefix}${name}`), `Unknown tool: ${prefix}${name}; did you mean ${name}?`)
    assert.ok(names.length > 80)
  })

  test('for a tool of a plugin that is off, the error names the plugin and similar tools', async () => {
    const message = await refusal('events_create')
    assert.match(
      message,
      /^Unknown tool: events_create belongs to the plugin project_admin, which is off on this service/,
    )
    assert.match(message, /; similar tools: events_list \([^)]+\), items_create \(Create item\)/)
    assert.match(await refusal('project_labels_list'), /belongs to the plugin labels, which is off/)
  })

  test('the error for a hidden tool says that the connection hides it', async () => {
    const left =
      / exists, but this connection does not show it: its profile (task-assistant|full-access) or its address/
    assert.match(await refusal('sprints_create', 'profile=task-assistant'), left)
    assert.match(await refusal('items_create', 'tools=items_get,tasks_list'), left)
    assert.match(await refusal('items_create', 'exclude=items_create'), left)
  })

  test('suggestions are tools of the connection', async () => {
    assert.doesNotMatch(await refusal('items_add', 'tools=items_get,tasks_list'), /items_create/)
    assert.match(await refusal('items_add', 'tools=items_get,tasks_list'), /similar tools: items_get/)
  })

  test('a tool with the same noun is suggested before one with the same verb', async () => {
    assert.match(await refusal('sprints_archive'), /^Unknown tool: sprints_archive; similar tools: sprints_/)
    assert.match(await refusal('invoices_create'), /; similar tools: items_create \(Create item\)/)
    assert.doesNotMatch(await refusal('invoices_create'), /did you mean/)
    assert.match(await refusal('comments_create'), /similar tools: discussions_create/)
  })

  test('an entirely unknown name gets a short error, however long it is', async () => {
    assert.equal(await refusal('zzz'), 'Unknown tool: zzz; tools/list has those of this connection')
    assert.ok((await refusal('x_'.repeat(500_000))).length < 300)
  })
})
