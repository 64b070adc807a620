import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { definePlugin, defineTool, Type } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'

const ROOT = join(import.meta.dirname, '../../..')

/** Returns the source files on the stack, from the handler back to the socket. */
function filesOnStack(): readonly string[] {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Infinity
  const { stack = '' } = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return [...new Set([...stack.matchAll(/\/(core\/[\w/-]+\.ts)/g)].map(([, file]) => file!))]
}

/** Returns the files that core/README.md lists as the path of a request. */
function listedFiles(): readonly string[] {
  const readme = readFileSync(join(ROOT, 'core/README.md'), 'utf8')
  return [...readme.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!)
}

test('a call passes at most nine files from the socket to the handler, which core/README.md lists', async t => {
  let passed: readonly string[] = []
  const tool = defineTool({
    name: 'path_show',
    class: 'W',
    title: 'Show the path',
    summary: 'Records the files on the stack.',
    input: Type.Object({}),
    output: Type.Object({}),
    async run() {
      passed = filesOnStack()
      return {}
    },
  })
  const plugin = definePlugin({ name: 'path', version: '1.0.0', api: 1, group: 'path', tools: [tool] })
  const host = await testHost(t, { plugins: [plugin], only: [] })
  await host.call('path_show')
  const listed = listedFiles()
  assert.ok(listed.length <= 9, listed.join('\n'))
  for (const file of listed) assert.ok(existsSync(join(ROOT, file)), file)
  const unlisted = passed.filter(file => !listed.includes(file) && !file.startsWith('core/testing/'))
  assert.deepEqual(unlisted, [])
  assert.ok(passed.includes('core/mcp/pipeline.ts') && passed.includes('core/runtime/runner.ts'), passed.join('\n'))
})
