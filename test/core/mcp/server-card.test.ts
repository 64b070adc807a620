import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { DESCRIPTION, ICONS } from '../../../core/host/about.ts'
import { REVISIONS } from '../../../core/mcp/revisions.ts'
import { suiteScope } from '../suite-scope.ts'
import { verifies } from '../../verifies.ts'
import { modernHeaders, modernMeta, rpc } from './stub.ts'

const root = join(import.meta.dirname, '../../..')
// oxlint-disable-next-line typescript/no-explicit-any -- files of known shape
const json = (file: string): any => JSON.parse(readFileSync(join(root, file), 'utf8'))
/** All revisions are served; later, one of them is past its sunset. */
const NOW = new Date('2026-11-01T00:00:00Z')
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/

describe('the server card', () => {
  const scope = suiteScope()
  let host: TestHost
  before(async () => {
    host = await testHost(scope, { engine: 'pglite', baseUrl: 'https://tasks.example.com', now: () => NOW })
  })
  const get = async (url: string, name = 'tasks.example.com') =>
    host.app.inject({ method: 'GET', url, headers: { host: name, origin: 'https://anywhere.example' } })

  verifies('server_card.served', 'is linked from the catalogue, and names the server and its address', async () => {
    const catalog = await get('/.well-known/mcp/catalog.json')
    assert.equal(catalog.statusCode, 200)
    const [entry] = catalog.json().entries
    assert.deepEqual(entry, {
      identifier: 'urn:air:tasks.example.com:tasuki',
      displayName: 'tasuki',
      type: 'application/mcp-server-card+json',
      url: 'https://tasks.example.com/mcp/server-card',
    })
    const response = await get(new URL(entry.url).pathname)
    assert.equal(response.headers['content-type'], 'application/mcp-server-card+json')
    assert.equal(response.headers['access-control-allow-origin'], '*')
    assert.match(String(response.headers['cache-control']), /max-age=3600/)
    const card = response.json()
    assert.match(card.name, NAME)
    assert.deepEqual(
      [card.name, card.title, card.version, card.description, card.websiteUrl],
      ['com.example.tasks/tasuki', 'tasuki', json('package.json').version, DESCRIPTION, 'https://tasks.example.com'],
    )
    assert.ok(DESCRIPTION.length <= 100)
    const [remote] = card.remotes
    assert.equal(remote.url, 'https://tasks.example.com/mcp')
    assert.deepEqual(
      remote.supportedProtocolVersions,
      REVISIONS.map(({ name }) => name),
    )
    assert.deepEqual((await get('/.well-known/mcp/server-card.json')).json(), card)
  })

  verifies('server_card.served', 'reveals nothing that needs a credential', async () => {
    const { body } = await get('/mcp/server-card')
    assert.doesNotMatch(body, /svc_pat_|items_|owner@example|instructions/)
    assert.equal((await get('/mcp/server-card', 'evil.example')).statusCode, 421)
  })

  verifies('icons.revisions', 'agrees with the handshake of revisions with icons', async () => {
    for (const { name, era, icons } of REVISIONS) {
      if (era === 'modern') continue
      const { body } = await host.rpc('initialize', {
        protocolVersion: name,
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      })
      const { serverInfo } = body.result
      assert.deepEqual(
        [serverInfo.icons, serverInfo.websiteUrl, serverInfo.description],
        icons ? [ICONS, 'https://tasks.example.com', DESCRIPTION] : [undefined, undefined, undefined],
        name,
      )
    }
    const infoOf = async (method: string): Promise<object> => {
      const response = await host.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...modernHeaders(method), authorization: `Bearer ${host.token}`, host: 'localhost' },
        payload: rpc(method, { _meta: modernMeta() }),
      })
      return response.json().result._meta['io.modelcontextprotocol/serverInfo']
    }
    const { version } = json('package.json')
    const short = { name: 'tasuki', title: 'tasuki', version }
    assert.deepEqual(await infoOf('server/discover'), {
      ...short,
      description: DESCRIPTION,
      icons: ICONS,
      websiteUrl: 'https://tasks.example.com',
    })
    // Every result repeats this information, so it must be small.
    assert.deepEqual(await infoOf('tools/list'), short)
  })

  test('shows the icon of the portal', () => {
    const [, data] = ICONS[0].src.split('base64,')
    const portal = readFileSync(join(root, 'plugins/portal/assets/icon.svg'), 'utf8')
    assert.equal(Buffer.from(data!, 'base64').toString(), portal.trim())
  })
})

verifies('server_card.registry', 'server.json agrees with package.json and the rules of the registry', () => {
  const server = json('server.json')
  const manifest = json('package.json')
  assert.match(server.name, NAME)
  assert.equal(server.name, manifest.mcpName)
  assert.equal(server.version, manifest.version)
  assert.equal(server.description, DESCRIPTION)
  const [npm, ...others] = server.packages
  assert.deepEqual(others, [])
  assert.deepEqual([npm.registryType, npm.identifier, npm.version], ['npm', manifest.name, manifest.version])
  assert.equal(npm.transport.type, 'streamable-http')
  // The process reads every listed variable.
  const environment = readFileSync(join(root, 'core/host/config/environment.ts'), 'utf8')
  for (const { name } of npm.environmentVariables) assert.match(environment, new RegExp(`env(?:\\[|, )'${name}'`))
})
