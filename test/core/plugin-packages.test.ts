import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { definePlugin } from 'tasuki/plugin'
import { describeMisfits } from '../../core/host/config/plugins.ts'
import { VERSION } from '../../core/plugin/version.ts'

const parent = mkdtempSync(join(tmpdir(), 'tasuki-packages-'))
after(() => rmSync(parent, { recursive: true, force: true }))

/** Writes the package.json of a plugin and returns the warnings about it. */
function warnings(manifest: object, declared: object, name = 'tasuki-risk'): Promise<string[]> {
  const folder = mkdtempSync(join(parent, 'app-'))
  const place = name.startsWith('.') ? folder : join(folder, 'node_modules', name)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(place, 'index.js'), '')
  return describeMisfits([{ name, plugin: definePlugin({ name: 'risk', ...declared }), options: {} }], folder)
}
const fits = { peerDependencies: { tasuki: `^${VERSION}` } }

test('a plugin that has the version of its package, which is for this tasuki, has no warning', async () => {
  assert.deepEqual(await warnings({ version: '2.0.0', ...fits }, { version: '2.0.0', api: 1 }), [])
  assert.deepEqual(
    await describeMisfits([{ name: 'labels', plugin: definePlugin({ name: 'labels' }), options: {} }], '.'),
    [],
  )
})

test('a plugin that declares another version than its package, or none, has a warning', async () => {
  const text = (version: string) => [`plugin risk has version ${version}, but its package 2.0.0: declare that one`]
  assert.deepEqual(await warnings({ version: '2.0.0', ...fits }, { version: '1.0.0', api: 1 }), text('1.0.0'))
  assert.deepEqual(await warnings({ version: '2.0.0' }, {}), text(VERSION))
  assert.deepEqual(await warnings({ version: '2.0.0', ...fits }, {}, './index.js'), text(VERSION))
  assert.deepEqual(await warnings({ version: '2.0.0' }, {}, './index.js'), [], 'the package of an operator')
})

test('a package for another version of tasuki has a warning', async () => {
  const manifest = { version: '2.0.0', peerDependencies: { tasuki: '^99.0.0' } }
  assert.deepEqual(await warnings(manifest, { version: '2.0.0', api: 1 }), [
    `the package of plugin risk is for tasuki ^99.0.0, but this is ${VERSION}: install one that fits`,
  ])
})
