import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answerOf, type Connection } from '../official-clients.ts'
import { run, type Ended } from '../processes.ts'
import type { Client } from './client.ts'
import { programOf } from './installed.ts'

const MCPDO = programOf('@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js')

// oxlint-disable-next-line typescript/no-explicit-any -- JSON of another program
type Json = any

/** The command line of the Inspector with a persistent connection: each call is a process that talks to a daemon. */
export interface Inspector extends Client {
  /** Stops the daemon. */
  stop(): Promise<void>
}

/** @param folder folder for the files of the Inspector */
export function inspector(folder: string, era: 'legacy' | 'modern'): Inspector {
  const home = mkdtempSync(join(folder, 'inspector-'))
  const catalog = join(home, 'catalog.json')
  const env = { HOME: home, MCP_CATALOG_PATH: catalog, MCP_INSPECTOR_SECRET_STORE: 'file' }
  const mcpdo = (connection: string, ...words: readonly string[]): Promise<Ended> =>
    run(MCPDO, ['--format', 'json', '--connection', connection, ...words], { cwd: home, env, inherit: false })
  const runInspector = async (connection: string, ...words: readonly string[]): Promise<Json> => {
    const { stdout, stderr } = await mcpdo(connection, ...words)
    assert.match(stdout, /^\s*\{/, `${words.join(' ')}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }
  const toolNames = async (connection: string): Promise<string[]> =>
    (await runInspector(connection, 'tools/list')).tools.map(({ name }: Json) => name)
  const connect = async (connection: string, url: string, headers: object, elicit: string): Promise<Json> => {
    writeFileSync(catalog, JSON.stringify({ mcpServers: { [connection]: { type: 'streamable-http', url, headers } } }))
    return runInspector(connection, 'connect', connection, '--era', era, '--elicit', elicit)
  }
  return {
    name: 'Inspector',
    asks: true,
    async connect({ url, token, declines }): Promise<Connection> {
      const connection = declines ? 'declining' : 'plain'
      await connect(connection, url, { Authorization: `Bearer ${token}` }, declines ? 'form' : 'off')
      return {
        toolNames: await toolNames(connection),
        async ask(name, args) {
          const result = await runInspector(connection, 'tools/call', name, '--tool-args-json', JSON.stringify(args))
          const id = result.elicitationPending?.elicitationId
          return answerOf(
            id === undefined ? result : await runInspector(connection, 'elicitation/respond', id, '--decline'),
          )
        },
        close: async () => void (await mcpdo(connection, 'disconnect', connection)),
      }
    },
    async signIn(url, person) {
      const { pendingAuth, authUrl } = await connect('signed-in', url, {}, 'off')
      assert.equal(pendingAuth, true)
      await fetch(await person.approve(authUrl))
      assert.equal((await runInspector('signed-in', 'connections/show')).auth.authorized, true)
      return (await toolNames('signed-in')).length
    },
    stop: async () => void (await run(MCPDO, ['daemon', 'stop'], { cwd: home, env, inherit: false })),
  }
}
