import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { PluginSpec } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { itemPanels, portalForms, portalPages, type AnyPage, type PageForm } from '../../../plugins/portal/index.ts'
import { configOf, names, namesWithout, withDependencies } from '../../plugin-words.ts'
import { run, TASUKI } from '../../processes.ts'
import { verifies } from '../../verifies.ts'
import { crawl, fits, type Crawl } from './crawl.ts'
import { newBrowser, portalHost, type Browser } from './portal-host.ts'
import { fillEverything } from './fill-portal.ts'

const ID = '0190f2a0-0000-7000-8000-000000000001'

/** Parts of the portal that a plugin adds. */
interface Parts {
  readonly pages: readonly string[]
  readonly forms: readonly string[]
  readonly panels: number
}

function partsOf({ contributes = [] }: PluginSpec): Parts {
  const added = contributes.filter(each => 'point' in each)
  const to = ({ id }: { readonly id: string }) => added.flatMap(({ point, value }) => (point === id ? [value] : []))
  const pages = to(portalPages) as readonly AnyPage[]
  const forms = [...pages.flatMap(page => page.forms ?? []), ...(to(portalForms) as PageForm[]).map(({ form }) => form)]
  return {
    pages: pages.map(({ path }) => path),
    forms: forms.map(({ path }) => path),
    panels: to(itemPanels.point).length,
  }
}

describe('the parts that a plugin adds to the portal', () => {
  const secret = randomBytes(32)
  const portal = portalHost('pglite', { secret, config: configOf(names) })
  let parts: ReadonlyMap<string, Parts>
  let browser: Browser
  let starts: readonly string[]
  let complete: Crawl

  before(async () => {
    const caller = await portal.newUser()
    browser = await portal.signedIn(caller.email)
    starts = [...(await fillEverything(portal, caller, browser)), '/notifications', '/settings/integrations']
    parts = new Map(portal.host.registry.plugins.map(spec => [spec.name, partsOf(spec)]))
    complete = await crawl(portal.host, browser, starts)
  })

  const headings = ({ pages }: Crawl): readonly string[] => {
    const items = starts.filter(address => /\/items\/\d+$/.test(address))
    return items.flatMap(item =>
      [...(pages.get(item)?.text ?? '').matchAll(/<h2[^>]*>\s*([^<]*?)[\s\d/]*<\/h2>/g)].map(match => match[1]!),
    )
  }

  verifies('portal.plugins_off', 'disappear with it: pages, forms, panels and links', async t => {
    const embedded = portal.host.database.embedded!
    const snapshot = await embedded.dump()
    const optional = names.filter(name => !withDependencies('portal').includes(name))
    const adding = optional.filter(name => {
      const { pages, forms, panels } = parts.get(name)!
      return pages.length + forms.length + panels > 0
    })
    assert.ok(adding.length >= 12, adding.join())
    const leaves = adding.filter(name => !names.some(other => other !== name && withDependencies(other).includes(name)))
    const others = adding.filter(name => !leaves.includes(name))
    // Splits the plugins without dependents into two halves, so that turning off one half finds links between plugins of the other half.
    const halves = [0, 1].map(half => leaves.filter((_name, n) => n % 2 === half))
    for (const off of [...others.map(name => [name]), ...halves]) {
      const on = namesWithout(off)
      const host = await testHost(t, {
        engine: 'pglite',
        secret,
        database: { engine: 'pglite', dataDir: null, snapshot },
        dataDir: portal.host.dataDir,
        config: configOf(on),
        now: () => portal.now,
      })
      const visitor = newBrowser(host.app)
      for (const [name, value] of browser.cookies) visitor.cookies.set(name, value)
      const gone = names.filter(name => !on.includes(name)).map(name => parts.get(name)!)
      for (const path of gone.flatMap(({ pages }) => pages)) {
        const address = path.replace(/:\w+/g, ID)
        assert.equal((await visitor.get(address)).status, 404, `${off.join()} off: ${path}`)
      }
      for (const path of gone.flatMap(({ forms }) => forms)) {
        const { status } = await visitor.post(path.replace(/:\w+/g, ID), {})
        // A page may have the path of a removed form, but posting to it must fail.
        assert.equal(status, 404, `${off.join()} off: POST ${path}`)
      }
      const found = await crawl(host, visitor, ['/projects', '/projects/SHOP', ...starts])
      const paths = gone.flatMap(({ pages }) => pages)
      for (const [address, { status, text, location }] of found.pages) {
        assert.ok(status < 500, `${off.join()} off: ${address} answers ${status}`)
        const links = [...text.matchAll(/<a\s[^>]*?href="(\/[^"#?]*)/g)].map(match => match[1]!)
        const dead = [...links, location ?? '/'].filter(link => paths.some(path => fits(path, link)))
        assert.deepEqual(dead, [], `${off.join()} off: links of ${address}`)
      }
      if (on.includes('items')) {
        const lost = headings(complete).filter(heading => !headings(found).includes(heading))
        assert.equal(
          lost.length > 0,
          gone.some(({ panels }) => panels > 0),
          `${off.join()} off: ${lost.join()}`,
        )
      }
      await host.close()
    }
  })
})

test('no page is loaded while the portal is off', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'tasuki-'))
  t.after(() => rm(folder, { recursive: true }))
  const hook =
    'import{registerHooks}from"node:module";registerHooks({load:(url,context,next)=>(console.error("loads "+url),next(url,context))})'
  const loaded = async (portal: boolean): Promise<readonly string[]> => {
    const config = join(folder, `${portal}.json`)
    writeFileSync(config, JSON.stringify({ plugins: { portal } }))
    const env = { CONFIG: config, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }
    const { code, stderr } = await run(TASUKI, ['plugins'], { cwd: folder, env })
    assert.equal(code, 0, stderr)
    return stderr.match(/(?<=^loads .*\/plugins\/)\w+\/(?:portal\/.*|on-portal.*)/gm) ?? []
  }
  const pages = await loaded(true)
  assert.ok(pages.includes('sprints/portal/chart.ts') && pages.includes('items/on-portal.ts'), pages.join())
  assert.deepEqual(await loaded(false), [])
})

verifies('portal.plugins_off', 'a disabled plugin has no visible pages, no list entries and no forms', async t => {
  const off = [
    'sprints',
    'notes',
    'numbering',
    'code_refs',
    'custom_fields',
    'checklist',
    'relations',
    'discussions',
    'attachments',
    'reminders',
    'templates',
    'versions',
    'search',
    'events',
    'estimation',
    'summaries',
    'conversations',
  ]
  const host = await testHost(t, {
    config: { plugins: { portal: {}, ...Object.fromEntries(off.map(name => [name, false])) } },
  })
  const browser = await host.browser()
  await host.command('project create', { key: 'SHOP', name: 'Shop' })
  const { item } = await host.call('items_create', { project_key: 'SHOP', title: 'Alone', detail: 'One' })
  await host.call('items_rewrite_detail', { item_ref: item.ref, new_detail: 'Two' })
  const page = `/projects/SHOP/items/${item.ref.split('#')[1]}`
  const shown = await browser.get(page)
  assert.equal(shown.status, 200)
  for (const part of ['Sprints', 'Library', 'Checklist', 'Relations', 'Comments', 'Files', 'Code'])
    assert.ok(!shown.text.includes(part), part)
  for (const gone of ['sprints', 'library', 'code', 'fields'])
    assert.equal((await browser.get(`/projects/SHOP/${gone}`)).status, 404, gone)
  assert.equal((await browser.get('/settings/numbering')).status, 404)
  assert.equal((await browser.post(`${page}/comments`, { body: 'x', kind: 'fact' })).status, 404)
  // Pages that do not need these plugins still work.
  for (const there of ['board', 'settings', 'members', 'features', 'workflow', 'kinds'])
    assert.equal((await browser.get(`/projects/SHOP/${there}`)).status, 200, there)
  assert.match((await browser.get(`${page}/revisions`)).text, /revisions\/[\w-]+/)
  assert.equal((await browser.get('/notifications')).status, 200)
})
