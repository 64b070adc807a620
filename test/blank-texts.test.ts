import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testHost } from '../core/testing/index.ts'
import { countStatements } from './bench/statements.ts'
import { suiteScope } from './core/suite-scope.ts'

/** What these look for may be spaces. */
const SOUGHT = ['items_grep pattern', 'query q']

describe('texts of white space', () => {
  const scope = suiteScope()

  test('no tool takes spaces for a text that may not be empty', async () => {
    const host = await testHost(scope, { config: { plugins: { project_admin: {} } } })
    const accepted: string[] = []
    let refused = 0
    await countStatements(host, 3, async (name, args) => {
      for (const [key, schema] of Object.entries(host.registry.tools.get(name)!.input.properties)) {
        if (schema['type'] !== 'string' || !(key in args) || schema['minLength'] === undefined) continue
        await host.call(name, { ...args, [key]: ' \u3000\n' }).then(
          () => accepted.push(`${name} ${key}`),
          () => refused++,
        )
      }
    })
    assert.deepEqual(accepted.toSorted(), SOUGHT)
    assert.ok(refused > 60, `${refused}`)
  })

  test('the error says what the text must be', async () => {
    const host = await testHost(scope, {})
    await assert.rejects(host.call('items_create', { project_key: 'INBOX', title: '  ' }), {
      code: 'invalid_argument',
      field: 'title',
      message: /must be a text of 1 to 200 characters, not of spaces alone/,
    })
  })
})
