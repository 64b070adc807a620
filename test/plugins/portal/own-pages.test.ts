import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { definePlugin, sql, ToolError } from 'tasuki/plugin'
import { newBrowser, testHost } from 'tasuki/testing'
import {
  addressOf,
  attributes,
  defineForm,
  definePage,
  defineTexts,
  fields,
  html,
  itemPanels,
  pageLinks,
  portalPages,
  table,
} from '../../../plugins/portal/index.ts'

const texts = defineTexts(
  { title: 'Risks', add: 'Add', added: 'Added.' },
  { ja: { title: 'リスク', add: '追加', added: '追加しました。' } },
)
const kept: string[] = []

const addForm = defineForm({
  path: '/risks/:key/add',
  fields: {
    name: fields.text({ max: 20 }),
    level: fields.integer({ min: 0, max: 5 }),
    key: fields.passwordField({ optional: true }),
    tags: fields.multipleChoice(),
  },
  async run({ params, language, write }, { name, level, tags }) {
    if (name === 'refused') throw new ToolError('conflict', 'There is already a risk of this name.', { field: 'name' })
    const actor = await write(async ctx => `${ctx.actor.kind} ${ctx.actor.client}`)
    kept.push(`${params['key']} ${name} ${level} ${tags.join('+')} ${actor}`)
    return { to: addressOf('/risks/:key', params), notice: texts(language).added }
  },
})
const risksPage = definePage({
  path: '/risks/:key',
  forms: [addForm],
  async load({ params }) {
    if (params['key'] === 'gone') throw new ToolError('not_found', 'There is no such project.')
    return kept
  },
  title: ({ language }) => texts(language).title,
  view(visit, rows) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      ${table(t.title, rows, [{ title: t.title, cell: row => row }])}
      ${addForm.view(
        visit,
        form =>
          html`${form.input('name', { label: t.title })} ${form.input('level', { label: 'Level', type: 'number' })}
          ${form.input('key', { label: 'Key' })} ${form.ticks('tags', { label: 'Tags', options: { a: 'A', b: 'B' } })}
          ${form.submit(t.add)}`,
      )}`
  },
})
const startPage = definePage({
  path: '/risks',
  name: language => texts(language).title,
  menu: { place: 'main', rank: 1 },
  load: async () => null,
  view: () => html`<h1>Start</h1>`,
})

const head = { name: 'risks', version: '0.1.0', api: 1, dependsOn: ['portal'] }

test('a page at an address that is taken stops the boot with the name of its plugin', async t => {
  const page = { load: async () => null, title: () => 'Mine', view: () => html`` }
  const faults: readonly [string, RegExp][] = [
    ['/settings/security', /^plugin risks: its page \/settings\/security cannot be served: .*already declared/],
    ['risks', /^plugin risks: its page risks cannot be served: /],
  ]
  for (const [path, message] of faults) {
    const plugin = definePlugin({ ...head, contributes: [portalPages(definePage({ ...page, path }))] })
    await assert.rejects(testHost(t, { only: ['portal'], plugins: [plugin] }), { name: 'HostError', message })
  }
})

test('what a plugin adds to a page of others may fail; the page is shown, and the log names the plugin', async t => {
  const fail = (): never => {
    throw new Error('out of paper')
  }
  const panel = { rank: 1, load: () => null, view: () => html`<h2>Risks</h2>` }
  const plugin = definePlugin({
    ...head,
    contributes: [
      portalPages(
        definePage({
          path: '/risks',
          name: fail,
          menu: { place: 'main', rank: 0 },
          load: async () => null,
          view: () => html``,
        }),
      ),
      pageLinks({ page: '/projects', label: () => 'Risks', to: fail }),
      itemPanels({ ...panel, load: fail }),
      itemPanels({ ...panel, load: async ctx => sql`select 1 / 0`.execute(ctx.db) }),
      itemPanels({ ...panel, view: fail }),
      itemPanels({ ...panel, view: async () => fail() }),
      itemPanels(panel),
    ],
  })
  const lines: { readonly plugin?: string; readonly err?: { readonly message: string } }[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } }
  const host = await testHost(t, { config: { plugins: { portal: {} } }, plugins: [plugin], logger })
  const browser = await host.browser()
  await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk' })
  assert.equal((await browser.get('/projects')).status, 200)
  const { status, text } = await browser.get('/projects/INBOX/items/1')
  assert.equal(status, 200)
  assert.equal(text.match(/An unexpected error occurred/g)?.length, 4)
  assert.match(text, /<h2>Risks<\/h2>/)
  assert.deepEqual(new Set(lines.map(line => line.plugin)), new Set(['risks']))
  assert.deepEqual(new Set(lines.map(line => line.err?.message)), new Set(['out of paper', 'division by zero']))
})

test('a plugin adds pages with forms, also as the first page and in the menu', async t => {
  const risks = definePlugin({
    name: 'risks',
    version: '0.1.0',
    api: 1,
    group: 'risks',
    dependsOn: ['portal'],
    contributes: [portalPages(risksPage), portalPages(startPage)],
  })
  const host = await testHost(t, { config: { plugins: { portal: {} } }, plugins: [risks] })
  const browser = await host.browser()
  assert.equal((await newBrowser(host.app).get('/risks/APP')).location, '/sign-in?return_to=%2Frisks%2FAPP')
  assert.equal((await browser.get('/')).location, '/risks')
  assert.match((await browser.get('/risks')).text, /<a\s+href="\/risks"\s+aria-current="page">Risks<\/a>/)

  const odd = 'A/B あ'
  const address = addressOf('/risks/:key', { key: odd })
  await browser.get(address)
  const add = addressOf(addForm.path, { key: odd })
  const done = await browser.send(add, { name: 'one', level: '３', tags: ['a', 'b'] })
  assert.deepEqual([done.status, done.location], [303, address])
  assert.deepEqual(kept, [`${odd} one 3 a+b human portal`])
  const page = await browser.get(address)
  assert.ok(page.text.includes('Added.') && page.text.includes('one 3'))
  const refused = await browser.send(add, { name: 'refused', level: '3', tags: 'b', key: 'hunter2' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /name="key"\s+type="password"/)
  assert.doesNotMatch(refused.text, /hunter2/)
  assert.match(
    refused.text,
    /<a href="#[^"]*-name">Risks: There is already a risk of this name\. Choose another name\.<\/a>/,
  )
  assert.match(refused.text, /name="tags"\s+value="b"\s+checked/)
  assert.doesNotMatch(refused.text, /name="tags"\s+value="a"\s+checked/)
  const many = await browser.send(add, { name: 'x'.repeat(21), level: '6' })
  assert.equal(many.text.match(/<p class="problem"/g)!.length, 2)
  const gone = await browser.get('/risks/gone')
  assert.equal(gone.status, 404)
  assert.match(gone.text, /Page not found/)
})

test('refusals of a form name codes that exist, in every language', () => {
  const form = { path: '/x', fields: {}, run: async () => ({ to: '/' }) }
  const known = defineForm({ ...form, refusals: { en: { 'conflict name': 'a' }, ja: { 'conflict name': 'b' } } })
  assert.equal(known.refusals?.ja['conflict name'], 'b')
  // @ts-expect-error -- Japanese is missing
  defineForm({ ...form, refusals: { en: { 'conflict name': 'a' }, ja: {} } })
  // @ts-expect-error -- no code of errors
  defineForm({ ...form, refusals: { en: { 'clash name': 'a' }, ja: { 'clash name': 'b' } } })
  definePage({
    path: '/x',
    // @ts-expect-error -- what is in a menu has a name
    menu: { place: 'main', rank: 1 },
    load: async () => null,
    title: () => 'x',
    view: () => html``,
  })
})

test('no text becomes markup, in content or in attributes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', '=', ' ') }), text => {
      const made = html`<p${attributes({ title: text })}>${text}${[text, html`<b>${text}</b>`]}${null}${false}</p>`.text
      const bare = made.replace(/&(?:amp|lt|gt|quot|#39);/g, '')
      assert.match(bare, /^<p title="[a= ]*">[a= ]*<b>[a= ]*<\/b><\/p>$/)
    }),
  )
})
