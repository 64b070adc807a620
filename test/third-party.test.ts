import assert from 'node:assert/strict'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../core/testing/database.ts'
import { migratedFolder } from './core/migrated-folder.ts'
import { forEachEngine } from './engines.ts'
import { httpCaller } from './http-caller.ts'
import { packedService } from './packed.ts'
import { NPM, run, serve, SHORT_LIVED, shownToken, succeed, type Program, type Serving } from './processes.ts'
import { tutorialFiles, tutorialTest } from './tutorial.ts'
import { verifies } from './verifies.ts'

const project = join(import.meta.dirname, '..')
const fixture = join(import.meta.dirname, 'fixtures/packages/tasuki-risk')

/** The compiler of this project, which the app does not install. */
const TSC: Program = { file: process.execPath, args: [join(project, 'node_modules/typescript/bin/tsc')] }

/**
 * Folder with the installed host and package, shared by both engines. It is outside this project, so that Node resolves nothing from the
 * project.
 */
const app = mkdtempSync(join(tmpdir(), 'tasuki-app-'))
after(() => rmSync(app, { recursive: true, force: true }))

let installed: Promise<unknown> | undefined
async function install(): Promise<void> {
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  const packages = ['install', await packedService(), fixture, '--install-links', '--omit=dev', '--omit=optional']
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await succeed(NPM, [...packages, ...quiet], { cwd: app })
  // Compiles the package as its author would, against the types of the packed host, which must refuse `wrong-statements.ts`.
  cpSync(fixture, join(app, 'sources'), { recursive: true })
  await succeed(TSC, ['--project', 'sources', '--outDir', 'node_modules/tasuki-risk/dist'], { cwd: app })
}

forEachEngine('a third-party plugin installed with npm next to the packed host', engine => {
  const tasuki: Program = {
    file: process.execPath,
    args: [...SHORT_LIVED, join(app, 'node_modules/tasuki/core/cli/tasuki.js')],
  }
  const env: Record<string, string> = {
    CONFIG: 'tasuki.json',
    DATA_DIR: join(app, `data-${engine}`),
    // A code cache elsewhere would remain after the test and be useless for the next run.
    NODE_COMPILE_CACHE: join(app, 'cache'),
  }
  const where = { cwd: app, env }
  const configure = (plugins: object): void => writeFileSync(join(app, 'tasuki.json'), JSON.stringify({ plugins }))

  let token = ''
  let ref = ''
  /** Runs a server with the plugins of a config while `use` runs. */
  const serving = async <T>(plugins: object, use: (server: Serving) => Promise<T>): Promise<T> => {
    configure(plugins)
    const server = await serve(tasuki, where)
    try {
      return await use(server)
    } finally {
      assert.equal(await server.stop(), 0)
    }
  }

  let database: TestDatabase | undefined
  before(async () => {
    await (installed ??= install())
    // On one engine the tables of the built-in plugins exist already; on the other the packed host creates them.
    if (engine === 'pglite') return migratedFolder(env['DATA_DIR']!)
    database = await createTestDatabase({ empty: true })
    env['DATABASE_URL'] = database.url
  })
  after(() => database?.drop())

  test('the command line lists it and finds nothing wrong', async () => {
    configure({ 'tasuki-risk': {} })
    if (engine === 'pglite')
      assert.match(await succeed(tasuki, ['plugins'], where), /^risk +1\.2\.0 +on +1 +items +tasuki-risk$/m)
    const findings = await succeed(tasuki, ['doctor'], where)
    assert.match(findings, /^ok +config: \d+ plugins, \d+ tools$/m)
    assert.doesNotMatch(findings, /WRONG/)
  })

  test('the packed host has a bill of materials with every package that it needs', () => {
    const packed = join(app, 'node_modules/tasuki')
    const bill = JSON.parse(readFileSync(join(packed, 'dist/sbom.cdx.json'), 'utf8')) as {
      readonly components: readonly { readonly name: string; readonly version: string }[]
    }
    const { dependencies } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`))
    const needed = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
    assert.deepEqual(
      needed.filter(name => !listed.has(name)),
      [],
    )
  })

  test('it adds a tool, an include, a filter key and a veto', async () => {
    await serving({ 'tasuki-risk': {} }, async server => {
      token = shownToken(server)
      const { call, rpc, toolNames } = httpCaller(server.origin, token)
      assert.ok((await toolNames()).includes('risks_set'))

      ref = (await call('items_create', { project_key: 'INBOX', title: 'Move the data' })).item.ref
      await call('items_create', { project_key: 'INBOX', title: 'Something harmless' })
      const set = await call('risks_set', { item_ref: ref, level: 'high', note: 'no backup' })
      assert.deepEqual(set, { risk: { item_ref: ref, level: 'high', note: 'no backup' }, changed: ['level'] })

      const { items } = await call('tasks_list', { include_risk: true })
      const [risky, harmless] = items
      assert.deepEqual([risky.ref, risky.risk], [ref, { level: 'high', note: 'no backup' }])
      assert.equal(harmless.risk, undefined)
      assert.equal((await call('tasks_list')).items[0].risk, undefined)

      const found = await call('tasks_list', { q: 'risk:>=medium' })
      assert.deepEqual(
        found.items.map((item: { ref: string }) => item.ref),
        [ref],
      )
      assert.match((await rpc('tools/call', { name: 'search_help', arguments: {} })).content[0].text, /risk/)

      const { error } = await call('items_complete', { item_ref: ref })
      assert.equal(error.code, 'conflict')
      assert.match(error.message, /INBOX#1 has an open risk of level high: no backup/)
      assert.match(error.hint, /risks_set/)
      assert.equal((await call('items_get', { item_ref: ref })).item.completed_at, null)
    })
  })

  test('rows have their types for an author who imports the index of a plugin alone', async () => {
    const source = `import type { ReadContext } from 'tasuki/plugin'
import { requireProject } from 'tasuki/plugins/projects'
export async function nameOf(ctx: ReadContext): Promise<string> {
  const project = await requireProject(ctx, 'APP')
  // @ts-expect-error -- a name is no number
  const wrong: number = project.name
  return project.name
}
`
    writeFileSync(join(app, 'alone.ts'), source)
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024']
    await succeed(
      TSC,
      [...options, '--types', 'node', '--typeRoots', join(project, 'node_modules/@types'), 'alone.ts'],
      { cwd: app },
    )
  })

  const noDatabase = { skip: engine === 'postgres' && 'no database has a part in it' }
  test('the boot stops with one clear line when its config is wrong', noDatabase, async () => {
    configure({ 'tasuki-risk': { blocks: 'terrible' } })
    const { code, stderr } = await run(tasuki, [], where)
    assert.equal(code, 1)
    assert.match(stderr, /^.*risk.*blocks.*low, medium, high.*"terrible".*\n$/)
  })

  verifies(
    'plugins.off',
    'with the plugin off only its table remains; with the plugin on again its data is unchanged',
    async () => {
      await serving({ 'tasuki-risk': false }, async ({ origin }) => {
        const { call, rpc, toolNames } = httpCaller(origin, token)
        assert.ok(!(await toolNames()).includes('risks_set'))
        await assert.rejects(rpc('tools/call', { name: 'risks_set', arguments: {} }), { code: -32602 })
        assert.equal((await call('tasks_list', { include_risk: true })).error.code, 'unknown_argument')
        assert.equal((await call('tasks_list', { q: 'risk:high' })).error.code, 'invalid_query')
        assert.doesNotMatch((await rpc('tools/call', { name: 'search_help', arguments: {} })).content[0].text, /risk/)
        assert.equal((await call('items_complete', { item_ref: '#2' })).error, undefined)
      })
      await serving({ 'tasuki-risk': { blocks: 'low' } }, async ({ origin }) => {
        const { call } = httpCaller(origin, token)
        assert.deepEqual((await call('tasks_list', { q: 'risk:high', include_risk: true })).items[0].risk, {
          level: 'high',
          note: 'no backup',
        })
        // The settings apply: by default a low risk does not keep an item open.
        const { item } = await call('items_create', { project_key: 'INBOX', title: 'Tell everybody' })
        await call('risks_set', { item_ref: item.ref, level: 'low' })
        assert.equal((await call('items_complete', { item_ref: item.ref })).error.code, 'conflict')
        await call('risks_set', { item_ref: ref, level: null })
        assert.equal((await call('items_complete', { item_ref: ref })).item.ref, ref)
      })
    },
  )

  test('purge deletes its data when it is off', async () => {
    // PostgreSQL may have other instances, so one has to start without the plugin first.
    if (engine === 'postgres') await serving({ 'tasuki-risk': false }, async () => undefined)
    configure({ 'tasuki-risk': false })
    const purged = await succeed(tasuki, ['purge', 'risk', '--yes'], where)
    assert.match(purged, /^risk\.risks +1$/m)
    assert.match(purged, /Deleted risk/)
  })

  test('tasuki plugin new writes a plugin that boots and works, next to a purged plugin', async () => {
    const name = `second_look_${engine}`
    await succeed(tasuki, ['plugin', 'new', name], where)
    await serving({ 'tasuki-risk': {}, [`./${name}/index.ts`]: {} }, async ({ origin }) => {
      const { call } = httpCaller(origin, token)
      assert.deepEqual((await call('tasks_list', { q: 'risk:any' })).items, [])
      const { remark } = await call(`${name}_remarks_add`, { item_ref: ref, text: 'fine' })
      await call(`${name}_remarks_edit`, { item_ref: ref, id: remark.id, text: 'better' })
      const { remarks } = await call(`${name}_remarks_list`, { item_ref: ref })
      assert.deepEqual([remarks.length, remarks[0].text], [1, 'better'])
    })
  })

  test('the plugin of the tutorial compiles, passes its tests and agrees with its migration', noDatabase, async () => {
    const name = 'risk'
    await succeed(tasuki, ['plugin', 'new', name], where)
    const folder = join(app, name)
    writeFileSync(join(folder, 'on-items.ts'), tutorialFiles().get('on-items.ts')!)
    const index = readFileSync(join(folder, 'index.ts'), 'utf8')
    const extended = index.replace('  migrations,', '  migrations,\n  contributes: onItems,')
    writeFileSync(join(folder, 'index.ts'), `import { onItems } from './on-items.ts'\n${extended}`)
    appendFileSync(join(folder, 'test/risk.test.ts'), tutorialTest())
    mkdirSync(join(app, 'node_modules/@types'), { recursive: true })
    symlinkSync(join(project, 'node_modules/@types/node'), join(app, 'node_modules/@types/node'))
    const test = join(folder, 'test/risk.test.ts')
    const tests = readFileSync(test, 'utf8')
    writeFileSync(test, tests.replaceAll('host.call(', 'host.coll('))
    assert.match((await run(TSC, ['--noEmit'], { cwd: folder })).stdout, /test\/risk\.test\.ts.*'coll' does not exist/)
    writeFileSync(test, tests)
    await succeed(TSC, [], { cwd: folder })
    assert.match(readFileSync(join(folder, 'dist/index.d.ts'), 'utf8'), /plugin: .*HostPlugin/)
    rmSync(join(folder, 'dist'), { recursive: true })
    assert.match(await succeed(NPM, ['test'], { cwd: folder }), /pass 3\b/)
    const again = await run(tasuki, ['plugin', 'new', name], where)
    assert.deepEqual([again.code, again.stderr.includes('is not empty')], [1, true])
    const unlisted = join(app, name, 'migrations/0009_unlisted.ts')
    writeFileSync(unlisted, '')
    const refused = await run(tasuki, ['migration', 'new', name, 'more'], {
      cwd: join(app, name),
      env: { CONFIG: 'tasuki.json' },
    })
    assert.match(refused.stderr, /0009_unlisted\.ts is not among the migrations/)
    rmSync(unlisted)
    const agrees = await succeed(tasuki, ['migration', 'new', name, 'more'], {
      cwd: folder,
      env: { CONFIG: 'tasuki.json' },
    })
    assert.match(agrees, /agree with its entities/)
    const entities = join(folder, 'entities.ts')
    const text = readFileSync(entities, 'utf8')
    writeFileSync(entities, text.replace('text: p.text(),', 'text: p.text(), level: p.integer().nullable(),'))
    const wrote = await succeed(tasuki, ['migration', 'new', name, 'level'], {
      cwd: folder,
      env: { CONFIG: 'tasuki.json' },
    })
    assert.match(wrote, /0002_level\.ts, and listed it in index\.ts/)
    assert.match(await succeed(NPM, ['test'], { cwd: folder }), /pass 3\b/)
    assert.doesNotMatch(wrote, /compatibleFrom/)
    assert.match(
      await succeed(tasuki, ['migration', 'new', name, 'more'], { cwd: folder, env: { CONFIG: 'tasuki.json' } }),
      /agree with its entities/,
    )
  })
})
