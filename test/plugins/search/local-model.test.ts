import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { tryExternalServices } from '../../../core/host/external-services.ts'
import { systemScope } from '../../../core/runtime/system-scope.ts'
import { embedJob } from '../../../plugins/search/jobs.ts'
import { verifies } from '../../verifies.ts'
import { portalHost } from '../portal/portal-host.ts'
import { TINY_DIMS, writeRuntime, writeTinyModel } from './tiny-model.ts'

/** A folder with the real runtime; without it the test installs a stand-in. */
const REAL = process.env['TEST_TRANSFORMERS']

const folder = mkdtempSync(join(tmpdir(), 'tasuki-models-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Installs a model next to a runtime. @returns the folder of the model */
function install(name: string, runtime: 'real' | 'stand-in' | 'none'): string {
  const place = join(folder, name)
  mkdirSync(place)
  if (runtime === 'stand-in') writeRuntime(place)
  if (runtime === 'real') symlinkSync(join(REAL!, 'node_modules'), join(place, 'node_modules'))
  writeTinyModel(join(place, 'tiny'))
  return join(place, 'tiny')
}

const stateOf = async (host: TestHost) => {
  const { settings } = await host.call('settings_list', { prefix: 'model.embeddings' })
  return Object.fromEntries(settings.map(({ key, value }: { key: string; value: string }) => [key, value]))
}
const embedAll = (host: TestHost) => {
  const { runner, authenticator, app } = host
  return runner.writeWithoutTransaction(systemScope(authenticator, embedJob.name, app.log), ctx =>
    embedJob.run(ctx, {}),
  )
}

for (const runtime of ['stand-in', 'real'] as const) {
  verifies('query.semantic', `a model in a folder finds texts by meaning, with a ${runtime} runtime`, async t => {
    if (runtime === 'real' && !REAL) return t.skip('needs TEST_TRANSFORMERS')
    const model = install(runtime, runtime)
    const host = await testHost(t, {
      config: { plugins: { search: { provider: `local:${model}`, timeout_ms: 60_000 } } },
    })
    assert.deepEqual(await stateOf(host), {
      'model.embeddings': 'local:tiny',
      'model.embeddings_model': 'tiny/fp32',
      'model.embeddings_state': 'not asked yet',
    })
    for (const title of [
      'a puppy for Anna',
      'wash the car',
      ...Array.from({ length: 20 }, (_, n) => `water the plants ${n}`),
    ])
      await host.call('items_create', { project_key: 'INBOX', title })
    await embedAll(host)
    for (const [q, title] of [
      ['dog', 'a puppy for Anna'],
      ['automobile', 'wash the car'],
    ]) {
      const found = await host.call('query', { q, mode: 'semantic' })
      assert.deepEqual([found.provider, found.items.map((item: { title: string }) => item.title)], ['local', [title]])
    }
    assert.equal((await stateOf(host))['model.embeddings_state'], `answers, ${TINY_DIMS} dimensions`)
    const [tried] = await tryExternalServices(host.registry, 10_000)
    assert.match(tried!.what, /embedding provider local \(tiny\/fp32\/4\), vectors of 4 numbers/)
    assert.equal(tried!.problem, null)
  })
}

verifies('query.semantic', 'without the runtime the service says what to install, and searches by words', async t => {
  const model = install('alone', 'none')
  const host = await testHost(t, {
    config: { plugins: { search: { provider: `local:${model}`, timeout_ms: 60_000 } } },
  })
  await host.call('items_create', { project_key: 'INBOX', title: 'a puppy for Anna' })
  const { items, warnings } = await host.call('query', { q: 'puppy', mode: 'semantic' })
  assert.equal(items.length, 1)
  assert.match(warnings[0], /provider local does not answer: this is full text/)
  const command = `npm install --prefix ${join(folder, 'alone')} @huggingface/transformers@4`
  assert.deepEqual(await stateOf(host), {
    'model.embeddings': 'local:tiny',
    'model.embeddings_model': 'tiny/fp32',
    'model.embeddings_state': 'does not answer: @huggingface/transformers is not installed',
  })
  const [tried] = await tryExternalServices(host.registry, 10_000)
  assert.match(tried!.problem!, /is not installed/)
  assert.ok(tried!.mend.includes(command))
})

describe('the page "Chat and models"', () => {
  const portal = portalHost('pglite', {
    config: { plugins: { search: { provider: `local:${install('page', 'none')}`, timeout_ms: 60_000 } } },
  })

  verifies('portal.settings', 'whether the model answers is said in the language of the page', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    const stateIn = async (language: string): Promise<string | undefined> => {
      const { text } = await browser.get('/settings/chat', { 'accept-language': language })
      return /<code>model\.embeddings_state<\/code>.*?<td[^>]*>\s*(.*?)\s*<\/td>/s.exec(text)?.[1]
    }
    assert.equal(await stateIn('en'), 'not asked yet')
    assert.equal(await stateIn('ja'), 'まだ問い合わせていません')
    await user.call('query', { q: 'puppy', mode: 'semantic' })
    assert.equal(await stateIn('en'), 'does not answer: @huggingface/transformers is not installed')
    assert.equal(await stateIn('ja'), '応答がありません: @huggingface/transformers がインストールされていません')
  })
})

test('a folder without a model stops the start and says what it lacks', async t => {
  mkdirSync(join(folder, 'empty'))
  for (const [provider, message] of [
    [
      `local:${join(folder, 'empty')}`,
      /has no config.json, no tokenizer.json, no onnx\/model.onnx or .*; provider local takes the folder/,
    ],
    [`local:${join(folder, 'nowhere')}`, /nowhere has no config.json/],
    ['local', /needs a folder; "local:<folder>" names it/],
  ] as const)
    await assert.rejects(testHost(t, { config: { plugins: { search: { provider } } } }), message)
})
