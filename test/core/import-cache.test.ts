import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, succeed, TASUKI } from '../processes.ts'

const at = (path: string): string => new URL(`../../${path}`, import.meta.url).href

/** Loads the whole service, and compares each cached import resolution with Node's own resolution. */
const COMPARE = `
  import { readdirSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  import { createCachingResolver } from '${at('core/cli/import-cache.ts')}'
  const remembering = createCachingResolver()
  const report = { answered: 0, left: 0, differing: [], orm: [], server: [] }
  let hostLoads = false
  registerHooks({
    resolve(name, context, next) {
      let left = false
      const ours = remembering(name, context, (...args) => {
        left = true
        return next(...args)
      })
      if (ours.url.includes('/@mikro-orm/')) report.orm.push(context.parentURL)
      if (!hostLoads && /\\/(fastify|pg|pg-boss|pino)\\//.test(ours.url)) report.server.push(context.parentURL)
      if (left) {
        report.left++
        return ours
      }
      report.answered++
      const { url, format } = next(name, context)
      if (ours.url !== url || ours.format !== format) report.differing.push([name, context.parentURL, ours.url, ours.format, url, format])
      return ours
    },
  })
  await import('${at('core/cli/main.ts')}')
  await import('${at('core/cli/dispatch.ts')}')
  const plugins = readdirSync(new URL('${at('plugins/')}'), { withFileTypes: true })
  for (const { name } of plugins.filter(entry => entry.isDirectory())) await import('${at('plugins/')}' + name + '/index.ts')
  hostLoads = true
  await import('${at('core/host/host.ts')}')
  await import('${at('core/db/embedded.ts')}')
  console.log(JSON.stringify(report))
`

test('remembered imports are those that Node resolves; the ORM is not among them, and a command loads no web server', async () => {
  const node = { file: process.execPath, args: ['--conditions=tasuki-source', '--input-type=module', '--eval'] }
  const report = JSON.parse(await succeed(node, [COMPARE], { cwd: import.meta.dirname })) as {
    answered: number
    left: number
    differing: unknown[]
    orm: string[]
    server: string[]
  }
  assert.deepEqual(report.differing, [])
  assert.deepEqual(report.orm, [])
  assert.deepEqual(report.server, [])
  assert.ok(report.answered > 4 * report.left, `${report.answered} were answered, ${report.left} left to Node`)
})

/** Prints the files of the service that the command line loads before it knows whether a server is running. */
const LOADED = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) loaded.push(url)
      return next(url, context)
    },
  })
  await import('${at('core/cli/main.ts')}')
  console.log(JSON.stringify(loaded))
`

test('a command beside a running server loads no plugin, no package and no database', async () => {
  const node = { file: process.execPath, args: ['--conditions=tasuki-source', '--input-type=module', '--eval'] }
  const loaded = JSON.parse(await succeed(node, [LOADED], { cwd: import.meta.dirname })) as string[]
  assert.deepEqual(
    loaded.filter(url => /\/(node_modules|plugins|db\/pglite)\//.test(url)),
    [],
  )
  assert.ok(loaded.length < 25, loaded.join('\n'))
})

test('a missing module of a plugin is named', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-imports-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'there.js'), 'export const one = 1')
  writeFileSync(join(folder, 'index.js'), `import './there.js'\nimport './lacking.js'`)
  writeFileSync(join(folder, 'tasuki.json'), '{ "plugins": { "./index.js": {} } }')
  const env = { DATA_DIR: join(folder, 'data'), CONFIG: join(folder, 'tasuki.json') }
  const { code, stderr } = await run(TASUKI, ['config', 'check'], { cwd: folder, env })
  assert.equal(code, 1)
  assert.match(stderr, /^tasuki: plugin "\.\/index\.js" could not be loaded: .*lacking\.js/)
})
