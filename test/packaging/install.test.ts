import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { NPM, run, serve, shownToken, succeed, type Program } from '../processes.ts'
import { httpCaller } from '../http-caller.ts'
import { packedService } from '../packed.ts'

const ROOT = join(import.meta.dirname, '../..')
const MB = 1_000_000
/** Size without the bundled Node, which is installed if the system's Node is too old. */
const MOST_INSTALL_MB = 200
const MOST_IMAGE_MB = 250
/** Uncompressed size of the base image of the last stage: glibc, libstdc++, certificates and time zones. */
const BASE_IMAGE_MB = 27
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']

const folder = mkdtempSync(join(tmpdir(), 'tasuki-install-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Sums the sizes of all files below the paths. @returns megabytes */
function megabytes(...paths: readonly string[]): number {
  const bytes = (path: string): number => {
    const facts = lstatSync(path)
    if (!facts.isDirectory()) return facts.size
    return readdirSync(path).reduce((sum, name) => sum + bytes(join(path, name)), 0)
  }
  return paths.reduce((sum, path) => sum + bytes(path), 0) / MB
}

/** Finds a Node that is older than the service needs, but new enough for npm. */
const oldNode = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin']
  .map(entry => join(entry, 'node'))
  .find(file => {
    const major = existsSync(file)
      ? Number(execFileSync(file, ['-p', 'parseInt(process.versions.node)'], { encoding: 'utf8' }))
      : 0
    return major >= 20 && major < 24
  })

describe('the packed package', () => {
  const prefix = join(folder, 'global')
  const installed = join(prefix, 'lib/node_modules/tasuki')
  before(async () => {
    await succeed(NPM, ['install', '--global', '--prefix', prefix, await packedService(), ...QUIET], { cwd: folder })
  })

  test(`installs in at most ${MOST_INSTALL_MB} MB`, t => {
    const all = megabytes(prefix)
    const node = megabytes(
      ...globSync('node_modules/node-*-{x64,arm64}', { cwd: installed }).map(name => join(installed, name)),
    )
    t.diagnostic(`${Math.round(all - node)} MB, and ${Math.round(node)} MB of Node, which only an older system needs`)
    assert.ok(all - node <= MOST_INSTALL_MB)
  })

  test(
    'runs on an older Node with its bundled Node',
    { skip: !oldNode && 'no Node from 20 to 23 on PATH' },
    async () => {
      const program: Program = { file: oldNode!, args: [join(prefix, 'bin/tasuki')] }
      const where = { cwd: folder, env: { DATA_DIR: join(folder, 'data') } }
      assert.match(await succeed(program, ['doctor'], where), /^ok +Node 24\./m)
      assert.equal((await run(program, ['no', 'such'], where)).code, 2, 'its exit code is passed on')
      const server = await serve(program, where)
      const { call } = httpCaller(server.origin, shownToken(server))
      assert.equal((await call('items_create', { project_key: 'INBOX', title: 'x' })).item.title, 'x')
      assert.equal(await server.stop(), 0, 'a signal is passed on')
    },
  )

  test('describes itself, and installs nothing by a name that a stranger could register', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
    for (const field of ['repository', 'bugs', 'homepage', 'license', 'engines']) assert.ok(manifest[field], field)
    const template = readFileSync(join(installed, 'core/cli/plugin-template/package.template.json'), 'utf8')
    const { peerDependencies, peerDependenciesMeta, devDependencies } = JSON.parse(template) as Record<
      string,
      Record<string, unknown>
    >
    assert.ok(peerDependencies!['tasuki'])
    assert.deepEqual(peerDependenciesMeta!['tasuki'], { optional: true }, 'npm does not fetch it')
    assert.match(String(devDependencies!['tasuki']), /^file:/)
  })
})

test(
  `the steps of the Dockerfile give an image of at most ${MOST_IMAGE_MB} MB that serves`,
  { skip: process.platform !== 'linux' && 'the image is for Linux' },
  async t => {
    const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replace(/\\\n/g, ' ')
    const app = join(folder, 'image/app')
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(app, file))
    // The RUN instruction of the stage "packages", unchanged.
    const [, packages] = /AS packages[^]*?^RUN (.*)$/m.exec(dockerfile)!
    await succeed({ file: 'sh', args: [] }, ['-c', packages!.replace('npm ci', `${quoted(NPM)} ci --prefer-offline`)], {
      cwd: app,
    })
    rmSync(join(app, 'package-lock.json'))
    // The COPY instructions of the last stage; the packed package contains the same dist.
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '))
    for (const [, sources, target] of last.matchAll(/^COPY ([^-\s].*) (\S+)$/gm))
      for (const source of sources!.split(' '))
        cpSync(join(ROOT, source), target === './' ? join(app, source) : join(app, target!), { recursive: true })
    await succeed({ file: 'tar', args: [] }, ['-xzf', await packedService(), '--strip-components=1', 'package/dist'], {
      cwd: app,
    })
    const size = megabytes(app, process.execPath) + BASE_IMAGE_MB
    t.diagnostic(
      `${Math.round(size)} MB: ${Math.round(megabytes(app))} of the service, ${Math.round(megabytes(process.execPath))} of Node, ${BASE_IMAGE_MB} of the base`,
    )
    assert.ok(size <= MOST_IMAGE_MB)
    execFileSync('chmod', ['-R', 'a-w', app])
    const program: Program = { file: process.execPath, args: [join(app, 'core/cli/tasuki.js')] }
    const where = { cwd: app, env: { DATA_DIR: join(folder, 'data-image'), LOG_FORMAT: 'json' } }
    const server = await serve(program, where)
    // A file over 700 KB is parsed in a worker thread, which loads its modules from dist.
    const csv = join(folder, 'large.csv')
    const rows = Array.from({ length: 100 }, (_, n) => `k${n},Item ${n},"${'A report of a user. '.repeat(400)}"`)
    writeFileSync(csv, ['key,title,detail', ...rows].join('\n'))
    assert.match(await succeed(program, ['import', 'file', csv, 'INBOX', '--yes'], where), /Imported 100 items/)
    const port = new URL(server.origin).port
    const [, health] = /HEALTHCHECK[^\n]*CMD \[".*?", "-e", "(.*)"\]/.exec(last)!
    await succeed({ file: process.execPath, args: ['-e', health!] }, [], { cwd: app, env: { PORT: port } })
    assert.equal(await server.stop(), 0)
    const dead = await run({ file: process.execPath, args: ['-e', health!] }, [], { cwd: app, env: { PORT: port } })
    assert.equal(dead.code, 1)
    execFileSync('chmod', ['-R', 'u+w', app])
  },
)

function quoted({ file, args }: Program): string {
  return [file, ...args].map(word => `'${word}'`).join(' ')
}
