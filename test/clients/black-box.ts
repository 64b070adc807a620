import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIssues, DATA_FOLDER, loadIssues, readIssues, type CallTool, type Issue } from '../issues.ts'
import { signInClaude } from './claude-sign-in.ts'
import { NPM, run, serve, shownToken, succeed, TASUKI, type Program, type Serving } from '../processes.ts'

// Programs of other people against a real service over HTTP: `npm run clients`.
const modules = join(import.meta.dirname, 'node_modules')
const program = (path: string): Program => ({ file: process.execPath, args: [join(modules, path)] })
const INSPECTOR = program('@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const CLAUDE = program('@anthropic-ai/claude-code/cli-wrapper.cjs')
/** Each call of the Inspector is a process of its own, hence so few. */
const MOST_ISSUES = 4

if (![INSPECTOR, CLAUDE].every(({ args }) => existsSync(args[0]!))) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund']
  await succeed(NPM, ['ci', '--prefix', import.meta.dirname, ...options], { cwd: import.meta.dirname })
}
const folder = mkdtempSync(join(tmpdir(), 'tasuki-clients-'))
const where = { cwd: folder, env: { DATA_DIR: join(folder, 'data'), CONFIG: join(folder, 'config.json') } }
// The document by which Claude Code is known is on the internet, which this must not need: it registers instead.
writeFileSync(where.env.CONFIG, JSON.stringify({ oauth: { client_metadata_documents: false } }))
const server = await serve(TASUKI, where)
try {
  for (const era of ['legacy', 'modern']) await step(`Inspector, ${era} era`, () => inspect(server, era))
  await step('Inspector without a token', () => inspectWithoutToken(server))
  await step('Claude Code with a token', () => connectClaude(server))
  await step('Claude Code with the address alone', () => signInClaude(CLAUDE, server, folder))
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function step(name: string, work: () => Promise<string>): Promise<void> {
  const began = performance.now()
  const told = await work()
  console.log(`${name}: ${told} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
}

function inspector(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const address = ['--cli', '--server-url', `${server.origin}/mcp`, '--transport', 'http']
  return run(INSPECTOR, [...address, ...args, '--format', 'json'], { cwd: folder, env: { HOME: folder } })
}

/** Creates, lists, filters, counts and finds issues, and lets it check the portability of all schemas. */
async function inspect(serving: Serving, era: string): Promise<string> {
  const common = ['--header', `Authorization: Bearer ${shownToken(serving)}`, '--protocol-era', era]
  const listed = await inspector([...common, '--method', 'tools/list', '--strict'])
  assert.equal(listed.code, 0, listed.stderr)
  const { tools } = JSON.parse(listed.stdout).result
  const call: CallTool = async (name, args) => {
    const json = JSON.stringify(args)
    const method = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', json]
    const { code, stdout, stderr } = await inspector([...common, ...method])
    assert.equal(code, 0, `${name}: ${stdout}${stderr}`)
    return JSON.parse(stdout).result.structuredContent
  }
  const project = era.toUpperCase()
  await succeed(TASUKI, ['project', 'create', project, era], where)
  const issues = someIssues()
  await loadIssues(call, project, issues)
  await checkIssues(call, project, issues)
  const verdict = /\d+ errors?, \d+ warnings?/.exec(listed.stdout + listed.stderr)?.[0] ?? 'nothing'
  return `${tools.length} tools, ${verdict} in their schemas; ${issues.length} issues created and found again`
}

async function inspectWithoutToken(serving: Serving): Promise<string> {
  const { code, stdout, stderr } = await inspector(['--method', 'tools/list'])
  assert.equal(code, 3, `${serving.origin}: ${stdout}${stderr}`)
  return 'is told to authenticate'
}

/** Runs the very line that a first start shows, then lets the program check the connection. */
async function connectClaude(serving: Serving): Promise<string> {
  const line = /^ *claude (mcp add .*)$/m.exec(serving.output.stdout)?.[1]
  assert.ok(line !== undefined, serving.output.stdout)
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(match => match[1] ?? match[2]!)
  const home = { cwd: folder, env: { HOME: folder }, inherit: false }
  await succeed(CLAUDE, words, home)
  const list = await succeed(CLAUDE, ['mcp', 'list'], home)
  const state = list.split('\n').find(text => text.startsWith('tasuki:')) ?? list
  assert.match(state, /Connected/)
  return state.trim()
}

function someIssues(): readonly Issue[] {
  if (DATA_FOLDER !== null) return readIssues('mesos').slice(0, MOST_ISSUES)
  console.log('TEST_DATA_DIR is not set: with made-up issues instead of real ones')
  return [
    { key: 'DEMO-1', title: 'Executor restarts for ever', description: 'See DEMO-2.', points: 3, split: 'train' },
    { key: 'DEMO-2', title: 'Slaves lose their agent', description: 'On the second day.', points: 8, split: 'val' },
    { key: 'DEMO-3', title: '議事録を検索できない', description: '', points: 5, split: 'test' },
  ]
}
