import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, succeed, TASUKI } from '../processes.ts'
import { migratedFolder } from './migrated-folder.ts'

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

/** Returns the files that a module of the service loads. */
async function filesLoadedBy(path: string): Promise<readonly string[]> {
  const node = { file: process.execPath, args: ['--conditions=tasuki-source', '--input-type=module', '--eval'] }
  return JSON.parse(await succeed(node, [listLoads(path)], { cwd: import.meta.dirname })) as string[]
}

const listLoads = (path: string): string => `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) loaded.push(url)
      return next(url, context)
    },
  })
  await import('${at(path)}')
  console.log(JSON.stringify(loaded))
`

test('a command beside a running server loads no plugin, no package and no database', async () => {
  // The command line does not know yet whether a server is running.
  const loaded = await filesLoadedBy('core/cli/main.ts')
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

test('the thread that reads deliveries of code hosts loads no package', async () => {
  const loaded = await filesLoadedBy('plugins/code_refs/read-worker.ts')
  assert.ok(loaded.length > 5 && loaded.length < 30, loaded.join('\n'))
  assert.deepEqual(
    loaded.filter(url => url.includes('/node_modules/')),
    [],
  )
})

test('the thread that parses files loads three packages, and of the service little more than the formats', async () => {
  const loaded = await filesLoadedBy('plugins/transfer/parse-worker.ts')
  const packages = loaded.flatMap(url => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
  assert.deepEqual([...new Set(packages)].toSorted(), ['papaparse', 'pend', 'yauzl'])
  assert.ok(loaded.length < 45, loaded.join('\n'))
})

test('a checkout parses a large file in a thread of its sources, as an operator runs it', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-thread-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'large.csv')
  writeFileSync(file, `title,detail\n${`x,"${'A report of a user. '.repeat(400)}"\n`.repeat(100)}`)
  const where = { cwd: folder, env: { DATA_DIR: join(folder, 'data') } }
  await migratedFolder(where.env.DATA_DIR)
  await succeed(TASUKI, ['migrate'], where)
  await succeed(TASUKI, ['user', 'create', 'ann@example.com'], where)
  const text = await succeed(TASUKI, ['import', 'file', file, 'INBOX', '--yes'], where)
  assert.match(text, /Imported 1 item into/)
})
