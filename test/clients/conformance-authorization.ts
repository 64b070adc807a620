import { spawn } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { oauthServer, type OAuthServer } from '../core/identity/oauth/server.ts'

/** Every revision that the suite supports; their requirements for an authorization server differ slightly. */
const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const AUTHORIZE = /http:\/\/localhost:\d+\/oauth\/authorize\?\S+/

/** Runs the suite for authorization servers and plays the person at the browser. @returns the failed scenarios */
export async function authorizationConformance(
  suite: string,
  scope: Parameters<typeof oauthServer>[0],
  log: (line: string) => void,
): Promise<string[]> {
  const server = await oauthServer(scope)
  const port = await freePort()
  const { body: client } = await server.register({
    client_name: 'conformance',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    token_endpoint_auth_method: 'none',
  })
  const failed: string[] = []
  for (const revision of REVISIONS) {
    for (const resource of [[], ['--resource', server.mcp]]) {
      const name = `authorization of ${revision}${resource.length > 0 ? ', with resource' : ''}`
      log(`\n── conformance, ${name} ──`)
      const asked = ['--client-id', client.client_id, '--port', String(port), '--spec-version', revision, ...resource]
      const { code, output } = await run([suite, 'authorization', '--url', server.origin, ...asked], server)
      log(output.slice(output.lastIndexOf('SUMMARY')).trim())
      if (code !== 0) failed.push(name)
    }
  }
  return failed
}

/** The suite prints an address and waits until its callback is visited. */
function run(command: readonly string[], server: OAuthServer): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const visited = new Set<string>()
  const visit = async (address: string): Promise<void> => {
    const { callback } = await server.browser().authorize(address)
    if (callback) await fetch(callback)
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const address = output.match(new RegExp(AUTHORIZE, 'g'))?.find(found => !visited.has(found))
      if (address === undefined) return
      visited.add(address)
      visit(address).catch((error: unknown) => child.kill() && (output += String(error)))
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ code: code ?? 1, output }))
  })
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(listening => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as AddressInfo
  await new Promise(closed => probe.close(closed))
  return port
}
