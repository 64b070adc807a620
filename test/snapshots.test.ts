import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as contract from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { verifies } from './verifies.ts'

const folder = join(import.meta.dirname, 'tools')

verifies('contract.snapshots', 'each served tool matches its snapshot in test/tools', async () => {
  const host = await testHost({ after }, { engine: 'pglite', config: { plugins: { project_admin: {} } } })
  const listed = (await host.listTools()) as unknown as readonly { readonly name: string }[]
  const served = new Map(listed.map(tool => [`${tool.name}.json`, `${JSON.stringify(tool, null, 2)}\n`]))
  mkdirSync(folder, { recursive: true })
  const kept = readdirSync(folder).filter(file => file.endsWith('.json'))
  const stale = kept.filter(file => !served.has(file))

  if (process.env['UPDATE_SNAPSHOTS'] === '1') {
    for (const [file, text] of served) writeFileSync(join(folder, file), text)
    for (const file of stale) rmSync(join(folder, file))
    return
  }
  const hint = 'if that is meant: UPDATE_SNAPSHOTS=1 npm test -- test/snapshots.test.ts'
  assert.deepEqual(stale, [], `snapshots of tools that are not served; ${hint}`)
  assert.deepEqual(
    [...served.keys()].filter(file => !kept.includes(file)),
    [],
    `tools without a snapshot; ${hint}`,
  )
  for (const [file, text] of served) {
    assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(join(folder, file), 'utf8')), `${file} differs; ${hint}`)
  }
})

test('tasuki/plugin exports the values of the snapshot', () => {
  const file = join(import.meta.dirname, 'contract-exports.json')
  const names = Object.keys(contract)
  if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(file, `${JSON.stringify(names, null, 2)}\n`)
  assert.deepEqual(names, JSON.parse(readFileSync(file, 'utf8')), 'authors of plugins see this change')
})
