import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { testHost } from '../../core/testing/index.ts'
import { plugin } from '../fixtures/plugins/conformance.ts'
import { startAuthProxy } from './auth-proxy.ts'
import { productConformance } from './conformance-product.ts'
import { authorizationConformance } from './conformance-authorization.ts'

// Runs the official conformance suite against a real host over HTTP: `npm run conformance`.
const REVISIONS = ['2025-11-25', '2026-07-28']
const suite = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

if (!existsSync(suite)) await install()
const cleanups: (() => Promise<void> | void)[] = []
try {
  const host = await testHost({ after: work => cleanups.push(work) }, { plugins: [plugin] })
  const address = await host.app.listen({ host: '127.0.0.1', port: 0 })
  const proxy = await startAuthProxy(new URL(address), host.token)
  cleanups.push(() => proxy.close())
  const failed: string[] = []
  for (const revision of REVISIONS) {
    console.log(`\n── conformance, requirements of ${revision} ──`)
    const command = [suite, 'server', '--url', `${proxy.url}/mcp`, '--requirements', revision]
    const { code, output } = await capture(process.execPath, command)
    console.log(code === 0 ? summary(output) : output)
    if (code !== 0) failed.push(revision)
  }
  const scope = { after: (work: () => Promise<void> | void) => void cleanups.push(work) }
  failed.push(...(await productConformance(suite, scope, line => console.log(line))))
  failed.push(...(await authorizationConformance(suite, scope, line => console.log(line))))
  console.log(failed.length > 0 ? `\nnot conforming: ${failed.join(', ')}` : `\nconforms to ${REVISIONS.join(', ')}`)
  process.exitCode = failed.length > 0 ? 1 : 0
} finally {
  for (const work of cleanups.toReversed()) await work()
}

async function install(): Promise<void> {
  const npm = process.env['npm_execpath']
  const args = ['ci', '--prefix', import.meta.dirname, '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund']
  const { code, output } = npm ? await capture(process.execPath, [npm, ...args]) : await capture('npm', args)
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output}`)
}

function capture(program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ code: code ?? 1, output }))
  })
}

/** Extracts the summary that the suite prints after its last scenario. */
function summary(output: string): string {
  const start = output.lastIndexOf('SUMMARY')
  return (start < 0 ? output : output.slice(output.lastIndexOf('\n', start) + 1)).trim()
}
