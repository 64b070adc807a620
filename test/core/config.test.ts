import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { HostError, keyFrom } from 'tasuki/plugin'
import { readEnvironment } from '../../core/host/config/environment.ts'
import { configJsonSchema } from '../../core/host/config/json-schema.ts'
import { checkConfig, CONFIG_FOLDER, loadConfig } from '../../core/host/config/load.ts'
import { loadPlugins } from '../../core/host/config/plugins.ts'
import { SECRETS } from '../../core/host/config/secret-files.ts'
import type { Config } from '../../core/host/config/schema.ts'
import { inProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'tasuki-config-'))
after(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const withConfig = (value: unknown): Promise<Config> => loadConfig(file('own.json', JSON.stringify(value)))

/** Asserts that the work fails with one HostError whose message contains all of these texts. */
async function fails(work: () => unknown, ...says: readonly (string | RegExp)[]): Promise<void> {
  await assert.rejects(
    async () => work(),
    (error: unknown) => {
      assert.ok(error instanceof HostError, `not a HostError: ${String(error)}`)
      for (const part of says) {
        if (typeof part === 'string') assert.ok(error.message.includes(part), `"${part}" is not in: ${error.message}`)
        else assert.match(error.message, part)
      }
      return true
    },
  )
}

describe('the config file', () => {
  test('may be absent: the defaults are complete', async () => {
    const config = await loadConfig(undefined)
    assert.deepEqual(Object.keys(config.profiles).slice(0, 3), ['full-access', 'task-assistant', 'project-ops'])
    assert.deepEqual([config.confirm, config.result_ceiling, config.body_limit], ['ask', 200_000, 10_000_000])
    assert.deepEqual([config.allowed_hosts, config.allowed_origins], [[], []])
    assert.equal(config.plugins['project_admin'], false)
  })

  test('is merged over the defaults: objects key by key, other values replaced', async () => {
    const own = {
      plugins: { labels: false, project_admin: { x: 1 }, './mine.js': {} },
      profiles: { viewer: { '*': ['R'] }, 'task-assistant': { notes: [] } },
      allowed_hosts: ['tasks.example'],
    }
    const config = await withConfig(own)
    const defaults = await loadConfig(undefined)
    assert.deepEqual(config.plugins, { ...defaults.plugins, ...own.plugins })
    assert.deepEqual(config.profiles, {
      ...defaults.profiles,
      viewer: { '*': ['R'] },
      'task-assistant': { ...defaults.profiles['task-assistant'], notes: [] },
    })
    assert.deepEqual(config.allowed_hosts, ['tasks.example'])
    const over = await loadConfig(file('own.json', JSON.stringify(own)), { allowed_hosts: [], plugins: { labels: {} } })
    assert.deepEqual([over.allowed_hosts, over.plugins['labels'], over.plugins['project_admin']], [[], {}, { x: 1 }])
  })

  test('may begin with a byte order mark', async () => {
    const config = await loadConfig(file('bom.json', '\uFEFF{"confirm":"token"}'))
    assert.equal(config.confirm, 'token')
  })

  test('that is missing, a folder, or not a JSON object is refused by name', async () => {
    await fails(() => loadConfig(join(folder, 'nowhere.json')), 'nowhere.json', 'ENOENT', 'CONFIG')
    await fails(() => loadConfig(folder), folder, 'EISDIR', 'CONFIG')
    await fails(() => loadConfig(file('broken.json', '{ "confirm": ask }')), 'broken.json', 'is not JSON')
    for (const text of ['[]', 'null', '3', '"x"'])
      await fails(() => loadConfig(file('list.json', text)), 'list.json must hold one JSON object')
  })

  test('a plugin that is true is on with its default settings', async () => {
    const config = await withConfig({ plugins: { project_admin: true, search: true } })
    const loaded = await loadPlugins(config, process.cwd())
    const optionsOf = (name: string) => loaded.find(({ plugin }) => plugin.spec.name === name)?.options
    assert.deepEqual([optionsOf('project_admin'), optionsOf('search')], [{}, {}])
  })

  test('is refused with the key, the expected and the actual value, all problems together', async () => {
    await fails(() => withConfig({ confrim: 'ask' }), 'own.json', 'confrim is not a setting; did you mean confirm?')
    await fails(() => withConfig({ entirely_else: 1 }), 'entirely_else is not a setting; known are ')
    await fails(() => withConfig({ confirm: 'maybe' }), 'confirm must be one of ask, token, off, got "maybe"')
    await fails(
      () => withConfig({ pool_size: 1, plugins: { labels: 'on', areas: null }, allowed_hosts: 'x' }),
      'pool_size must be a whole number of at least 2, got 1',
      'plugins → labels must be an object or true or false, got "on"',
      'plugins → areas must be an object or true or false, got null',
      'allowed_hosts must be a list, got "x"',
    )
    await fails(
      () => withConfig({ profiles: { viewer: { '*': ['X'] } } }),
      'profiles → viewer → * → 0',
      'R, W, WD',
      '"X"',
    )
    await fails(
      () => withConfig({ backups: { schedule: '99 * * * *', folder: '/x' } }),
      'own.json is not valid',
      'backups → schedule must be a cron expression of five fields, such as 30 1 * * *, got "99 * * * *": ',
    )
    for (const key of ['allowed_hosts', 'allowed_origins']) {
      for (const entry of ['https://a.example', 'a.example:8080', 'a.example/', '*', ''])
        await fails(
          () => withConfig({ [key]: ['b.example', entry] }),
          `${key} → 1 must be a host name without scheme, port and path, such as tasks.example.com, got "${entry}"`,
        )
      const names = ['localhost', 'a.example', 'タスク.example', '192.0.2.7', '[2001:db8::1]', '::1']
      assert.deepEqual((await withConfig({ [key]: names }))[key as 'allowed_hosts'], names)
    }
    for (const backups of [{ keep: 3 }, { schedule: '0 3 * * *' }])
      await fails(() => withConfig({ backups }), 'backups → folder is missing; without it no backups are made')
    await fails(
      () => withConfig({ profiles: { 'My Profile': {} } }),
      'profiles → My Profile is not allowed as a name; it must match ^[a-z][a-z0-9-]{0,40}$',
    )
    await fails(() => withConfig({ profiles: { viewer: { extends: 3 } } }), 'viewer → extends', 'a string')
  })

  test('cannot lose what the host needs', async () => {
    await fails(() => checkConfig({}, 'x.json'), 'x.json is not valid', 'plugins is missing', 'profiles is missing')
  })
})

describe('a plugin of the config', () => {
  const load = (plugins: Record<string, object | false>) => loadPlugins({ plugins }, folder)
  const script = (name: string, text: string): string => (file(name, text), `./${name}`)

  test('is found by its built-in name, as a package, and by a path relative to the config file', async () => {
    const contract = import.meta.resolve('tasuki/plugin')
    const text = (name: string) =>
      `import { definePlugin } from ${JSON.stringify(contract)}\nexport const plugin = definePlugin({ name: '${name}', version: '1.0.0', api: 1, group: 'x' })\n`
    const packages = {
      '@acme/plain': { main: './lib.js' },
      'acme-string': { exports: './lib.js' },
      'acme-nested': {
        exports: { '.': { types: './lib.d.ts', import: { default: './lib.js' } }, './other': './other.js' },
      },
    }
    for (const [n, [name, manifest]] of Object.entries(packages).entries()) {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true })
      file(`node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', ...manifest }))
      file(`node_modules/${name}/lib.js`, text(`p${n}`))
    }
    const found = await load({
      labels: {},
      areas: false,
      [script('mine.mjs', text('mine'))]: { threshold: 3 },
      [join(folder, 'mine2.mjs')]: (file('mine2.mjs', text('mine2')), {}),
      '@acme/plain': {},
      'acme-string': {},
      'acme-nested': {},
    })
    assert.deepEqual(
      found.map(({ plugin, options }) => [plugin.spec.name, options]),
      [
        ['labels', {}],
        ['mine', { threshold: 3 }],
        ['mine2', {}],
        ['p0', {}],
        ['p1', {}],
        ['p2', {}],
      ],
    )
  })

  test('that does not exist is refused with the next step', async () => {
    await fails(
      () => load({ lables: {} }),
      'plugin "lables" is not there',
      'did you mean "labels"',
      'check its name',
      'install',
    )
    await fails(() => load({ areaz: false }), 'no plugin "areaz" to switch off', 'did you mean "areas"')
    assert.deepEqual(await load({ '@acme/gone': false, kanban_wip_limits: false }), [], 'what was removed may be off')
    await fails(
      () => load({ '@acme/nothing': {} }),
      '"@acme/nothing" is not installed',
      `npm install @acme/nothing in ${folder}`,
    )
    await fails(() => load({ '@acme': {} }), '"@acme" is not installed')
    await fails(() => load({ './nowhere.js': {} }), '"./nowhere.js" is not there')
  })

  test('that cannot be loaded is refused with the reason', async () => {
    const lacking = script('lacking.mjs', "import './not-here.mjs'\nexport const plugin = 1\n")
    await fails(
      () => load({ [lacking]: {} }),
      `"${lacking}" could not be loaded`,
      'not-here.mjs',
      `"${lacking}": false`,
    )
    await fails(() => load({ [script('bad.mjs', 'const = 1')]: {} }), 'could not be loaded', 'bad.mjs')
    await fails(() => load({ [script('text.mjs', "throw 'half'")]: {} }), 'text.mjs" could not be loaded: half;')
    await fails(() => load({ [script('throws.mjs', "throw new Error('no luck')")]: {} }), 'no luck')
  })

  test('that is not made by definePlugin is refused', async () => {
    for (const text of [
      'export const other = 1',
      'export default {}',
      'export const plugin = {}\nexport default () => {}',
      'export const plugin = () => {}',
      'export const plugin = {}',
    ])
      await fails(
        () => load({ [script(`e${text.length}.mjs`, text)]: {} }),
        'no export named "plugin" made by definePlugin()',
      )
  })
})

test('config/schema.json agrees with the sources', async () => {
  const schemaText = readFileSync(new URL('schema.json', CONFIG_FOLDER), 'utf8')
  assert.equal(
    schemaText,
    `${JSON.stringify(await configJsonSchema(), null, 2)}\n`,
    'run: npm run tasuki config schema',
  )
  const schema = JSON.parse(schemaText) as { properties: { plugins: { properties: object } }; required?: string[] }
  const own = await loadConfig(undefined)
  for (const name of Object.keys(own.plugins)) assert.ok(name in schema.properties.plugins.properties, name)
  assert.equal(schema.required, undefined, 'a file needs only the settings that differ')
})

/** Finds the table row that documents a setting. */
function rowOf(text: string, name: string): string {
  const row = text.split('\n').find(line => line.startsWith('| ') && line.split('|')[1]!.includes(`\`${name}\``))
  assert.ok(row, `config/README.md has no row for ${name}`)
  return row
}

interface Setting {
  readonly properties?: Readonly<Record<string, Setting>>
  readonly anyOf?: readonly Setting[]
  readonly default?: unknown
}

/** Lists the settings without members, with their paths. */
function leaves(setting: Setting, path = ''): readonly (readonly [string, Setting])[] {
  const { properties } = [setting, ...(setting.anyOf ?? [])].find(each => each.properties) ?? {}
  if (!properties) return path === '' ? [] : [[path, setting]]
  return Object.entries(properties).flatMap(([name, member]) => leaves(member, path === '' ? name : `${path}.${name}`))
}

describe('config/README.md', () => {
  const text = readFileSync(new URL('README.md', CONFIG_FOLDER), 'utf8')
  const sections = new Map(text.split(/^##+ /m).map(section => [section.split('\n', 1)[0]!, section]))

  test('lists every setting with its default', async () => {
    const schema = (await configJsonSchema()) as Setting
    const { plugins, oauth, audit, backups, limits, ...host } = schema.properties!
    const check = (section: string, [name, setting]: readonly [string, Setting]): void => {
      const row = rowOf(sections.get(section) ?? '', name)
      if (setting.default !== undefined) assert.ok(row.includes(JSON.stringify(setting.default)), `default of ${row}`)
    }
    for (const [name, setting] of Object.entries(host)) {
      // `$schema` is for editors; `profiles` has a section of its own.
      if (name !== '$schema' && name !== 'profiles') check('Other settings', [name, setting])
    }
    const groups = [oauth!, audit!, backups!, limits!]
    for (const leaf of groups.flatMap(each => leaves(each))) check('Other settings', leaf)
    let settingCount = 0
    for (const [plugin, settings] of Object.entries(plugins!.properties!)) {
      for (const leaf of leaves(settings).filter(([path]) => path !== '')) {
        check(`\`${plugin}\``, leaf)
        settingCount++
      }
    }
    assert.ok(settingCount >= 30, `${settingCount} settings of plugins`)
  })

  test('and example.env list every variable', () => {
    const read = new Set<string>()
    readEnvironment(new Proxy({}, { get: (_target, name) => (typeof name === 'string' && read.add(name), undefined) }))
    assert.ok(read.size >= 11, [...read].join())
    const example = readFileSync(new URL('example.env', CONFIG_FOLDER), 'utf8')
    for (const name of [...read].map(each => each.replace(/_FILE$/, ''))) {
      rowOf(sections.get('Environment') ?? '', name)
      assert.match(example, new RegExp(`^#${name}=`, 'm'))
    }
  })
})

describe('the environment', () => {
  test('has a default for everything', () => {
    const { host, port, dataDir, logLevel, logFormat, traces, ...rest } = readEnvironment({
      PORT: '',
      DATABASE_URL: '',
    })
    assert.deepEqual([host, port, dataDir, logLevel, traces], ['127.0.0.1', 3000, './data', 'info', false])
    assert.equal(logFormat, process.stdout.isTTY ? 'pretty' : 'json')
    assert.ok(Object.values(rest).every(value => value === null || value === undefined))
  })

  test('is parsed', () => {
    const token = `svc_pat_${'x'.repeat(32)}`
    const env = readEnvironment({
      HOST: '0.0.0.0',
      PORT: '0',
      BASE_URL: 'https://Tasks.example:443//',
      DATA_DIR: '/data',
      DATABASE_URL: 'postgresql://db/tasuki',
      DATABASE_REPLICA_URL: 'postgres://replica/tasuki',
      CONFIG: './tasuki.json',
      LOG_LEVEL: 'warn',
      SECRET_KEY: 'k'.repeat(32),
      BOOTSTRAP_EMAIL: 'ann@example.com',
      BOOTSTRAP_TOKEN: token,
      METRICS_TOKEN: 'm'.repeat(16),
      METRICS_PORT: '9464',
      LOG_FORMAT: 'pretty',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    })
    assert.deepEqual(env, {
      host: '0.0.0.0',
      port: 0,
      baseUrl: 'https://tasks.example',
      dataDir: '/data',
      databaseUrl: 'postgresql://db/tasuki',
      replicaUrl: 'postgres://replica/tasuki',
      configFile: './tasuki.json',
      logLevel: 'warn',
      secretKey: 'k'.repeat(32),
      bootstrapEmail: 'ann@example.com',
      bootstrapToken: token,
      metricsToken: 'm'.repeat(16),
      metricsPort: 9464,
      logFormat: 'pretty',
      traces: true,
    })
  })

  test('is refused by the name of the variable, without showing secrets', async () => {
    const refuses = (variables: NodeJS.ProcessEnv, ...says: string[]) =>
      fails(() => readEnvironment(variables), ...says)
    for (const PORT of ['web', '-1', '65536', '3.5', ' ', '0x10'])
      await refuses({ PORT }, 'PORT', '0 to 65535', `"${PORT}"`)
    for (const HOST of ['localhost:3000', 'http://tasks.example', '[::1]'])
      await refuses({ HOST }, 'HOST must be an address or a host name, without scheme and port', `"${HOST}"`)
    for (const HOST of ['::', '::1', 'fe80::1%eth0', 'tasks.example'])
      assert.equal(readEnvironment({ HOST }).host, HOST)
    await refuses({ LOG_FORMAT: 'xml' }, 'LOG_FORMAT must be json or pretty', '"xml"')
    await refuses({ LOG_LEVEL: 'loud' }, 'LOG_LEVEL', 'fatal, error', '"loud"')
    for (const BASE_URL of [
      'tasks.example',
      'ftp://tasks.example',
      'https://tasks.example/?a=1',
      'https://tasks.example/#a',
      'https://me@tasks.example',
      'https://tasks.example/app',
      'https://tasks.example/mcp/',
    ])
      await refuses({ BASE_URL }, 'BASE_URL')
    await refuses({ BASE_URL: 'https://tasks.example/app' }, 'path', 'a host name of its own')
    for (const DATABASE_URL of ['tasuki', 'mysql://db/tasuki', 'postgres//hunter2@db'])
      await refuses({ DATABASE_URL }, 'DATABASE_URL', 'postgres://user@host/database')
    for (const parameter of ['sslrootcert', 'sslcert', 'sslkey'])
      await refuses(
        { DATABASE_URL: `postgres://db/x?sslmode=verify-full&${parameter}=/no-such.pem` },
        `DATABASE_URL names /no-such.pem as ${parameter}, which cannot be read (ENOENT)`,
      )
    await refuses({ DATABASE_REPLICA_URL: 'postgres://db/x' }, 'DATABASE_REPLICA_URL', 'without DATABASE_URL')
    await refuses({ BOOTSTRAP_EMAIL: 'ann' }, 'BOOTSTRAP_EMAIL', '"ann"')
    await refuses({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT', '"collector:4318"')
    await refuses({ METRICS_PORT: '3000' }, 'METRICS_PORT and PORT are both 3000')
    const secrets = {
      SECRET_KEY: 'hunter2',
      BOOTSTRAP_TOKEN: 'svc_pat_hunter2',
      METRICS_TOKEN: 'hunter2',
      DATABASE_URL: 'mysql://ann:hunter2@db/x',
    }
    for (const [name, value] of Object.entries(secrets)) {
      assert.throws(
        () => readEnvironment({ [name]: value }),
        (error: unknown) =>
          error instanceof HostError && error.message.includes(name) && !error.message.includes('hunter2'),
      )
    }
  })
})

describe('config check', () => {
  const check = (value: object, env: Record<string, string> = {}) =>
    inProcess(['config', 'check'], { CONFIG: file('checked.json', JSON.stringify(value)), ...env })

  test('refuses proxies that are no addresses, unknown groups, and keys and secrets that are not there', async () => {
    const search = {
      provider: 'openai',
      url: 'http://localhost:1/v1',
      model: 'm',
      dims: 4,
      key_env: 'TEST_NO_SUCH_KEY',
    }
    for (const [value, says] of [
      [{ trusted_proxies: ['my-proxy'] }, /trusted_proxies has "my-proxy"; write an address/],
      // Timers of Node run such times at once.
      [{ query_timeout_ms: 3e9 }, /query_timeout_ms must be a whole number of 100 to 86400000, got 3000000000/],
      [{ plugins: { search: { timeout_ms: 3e9 } } }, /timeout_ms must be a whole number of 100 to 3600000, got/],
      [{ trusted_proxies: ['10.0.0.0/99'] }, /trusted_proxies has "10.0.0.0\/99"/],
      [
        { profiles: { own: { work_itms: ['R'] } } },
        /profile own names the group work_itms, .*did you mean work_items\?/,
      ],
      [
        { plugins: { search: { ...search, url: 'localhost:1' } } },
        /search.*url.* must be an http or https address such/,
      ],
      [{ plugins: { summaries: { base_url: 'localhost' } } }, /summaries.*base_url.* must be an http or https address/],
      [{ plugins: { search } }, /key_env of plugin search names the variable TEST_NO_SUCH_KEY, which is not set/],
      [
        {
          plugins: {
            summaries: { provider: 'openai', base_url: 'http://localhost:1', model: 'm', key_env: 'TEST_NO_SUCH_KEY' },
          },
        },
        /key_env of plugin summaries names the variable TEST_NO_SUCH_KEY/,
      ],
      [
        {
          plugins: {
            portal: { openid: { issuer: 'https://id.example', client_id: 'x', client_secret_file: '/no-such-file' } },
          },
        },
        /openid → client_secret_file names \/no-such-file, which cannot be read \(ENOENT\)/,
      ],
    ] as const) {
      const { code, stderr } = await check(value)
      assert.equal(code, 1)
      assert.match(stderr, says)
    }
    const off = { plugins: { project_admin: false }, profiles: { own: { project_admin: ['R'] } } }
    assert.equal((await check(off)).code, 0, 'a group of a plugin that is off is known')
  })

  test('accepts a plugin that is turned on by true', async () => {
    const pluginsOf = async (config: object) => Number(/(\d+) plugins/.exec((await check(config)).stdout)![1])
    assert.equal(await pluginsOf({ plugins: { project_admin: true } }), (await pluginsOf({})) + 1)
    const { properties } = (await configJsonSchema()) as {
      properties: { plugins: { properties: { project_admin: unknown } } }
    }
    assert.match(JSON.stringify(properties.plugins.properties.project_admin), /"type":"boolean"/)
  })
})

describe('secrets in files', () => {
  test('each variable with a secret may name a file', () => {
    const values: Readonly<Record<string, string>> = {
      DATABASE_URL: 'postgres://user:word@host/tasuki',
      DATABASE_REPLICA_URL: 'postgres://user:word@replica/tasuki',
      SECRET_KEY: 'k'.repeat(40),
      BOOTSTRAP_TOKEN: `svc_pat_${'b'.repeat(38)}`,
      METRICS_TOKEN: 'scraper-of-the-house',
    }
    const env: NodeJS.ProcessEnv = {}
    for (const name of SECRETS) env[`${name}_FILE`] = file(name, `${values[name] ?? `value of ${name}`}\n`)
    const { databaseUrl, replicaUrl, secretKey, bootstrapToken, metricsToken } = readEnvironment(env)
    assert.deepEqual([databaseUrl, replicaUrl, secretKey, bootstrapToken, metricsToken], Object.values(values))
    // Libraries read these variables directly.
    assert.equal(env['AWS_SECRET_ACCESS_KEY'], 'value of AWS_SECRET_ACCESS_KEY')
  })

  test('a file that is missing, is empty, or conflicts with the variable is refused', async () => {
    await fails(
      () => readEnvironment({ SECRET_KEY_FILE: '/no/such/file' }),
      /SECRET_KEY_FILE names .*cannot be read \(ENOENT\)/,
    )
    await fails(() => readEnvironment({ SECRET_KEY_FILE: file('empty', '\n') }), /SECRET_KEY_FILE names .*is empty/)
    await fails(() => readEnvironment({ SECRET_KEY: 'x', SECRET_KEY_FILE: file('one', 'x') }), /both set; keep one/)
  })

  test('a key that a setting names may be in a file', t => {
    process.env['TEST_KEY_FILE'] = file('key', 'from a file\n')
    t.after(() => delete process.env['TEST_KEY_FILE'])
    assert.equal(keyFrom('key_env', 'TEST_KEY'), 'from a file')
    assert.equal(keyFrom('key_env', undefined), undefined)
  })
})
