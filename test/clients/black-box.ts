import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve, shownToken, succeed, TASUKI } from '../processes.ts'
import { aiSdk } from './ai-sdk.ts'
import { startAuthProxy } from './auth-proxy.ts'
import { checkAgent } from './check-agent.ts'
import { checkClient } from './check-client.ts'
import { claudeCode, connectAsShown } from './claude-code.ts'
import { codex } from './codex.ts'
import { geminiCli } from './gemini-cli.ts'
import { inspectorCli } from './inspector-cli.ts'
import { inspector } from './inspector.ts'
import { install } from './installed.ts'
import { langchain } from './langchain.ts'
import { newTarget, report, type Row } from './matrix.ts'
import { openAiAgents } from './openai-agents.ts'
import { opencode, supportsOpencode } from './opencode.ts'
import { setUp } from './person.ts'
import { sdks } from './sdk.ts'

// Runs third-party clients against a real service over HTTP: `npm run clients`, or `npm run clients -- Gemini` for some of them.
const AGENTS = [geminiCli, ...(supportsOpencode ? [opencode] : []), codex, claudeCode]
const words = process.argv.slice(2)
const isWanted = ({ name }: { readonly name: string }): boolean =>
  words.length === 0 || words.some(word => name.toLowerCase().includes(word.toLowerCase()))
const ERAS = ['legacy', 'modern'] as const

await install()
const folder = mkdtempSync(join(tmpdir(), 'tasuki-clients-'))
const where = { cwd: folder, env: { DATA_DIR: join(folder, 'data'), CONFIG: join(folder, 'config.json') } }
// Claude Code's client metadata document is on the internet, which this test must not use. With this setting Claude Code registers instead.
writeFileSync(where.env.CONFIG, JSON.stringify({ oauth: { client_metadata_documents: false } }))
const server = await serve(TASUKI, where)
const token = shownToken(server)
const proxy = await startAuthProxy(new URL(server.origin), token)
try {
  const rows: Row[] = []
  const step = async (name: string, work: () => Promise<string>): Promise<void> => {
    const began = performance.now()
    const summary = await work()
    console.log(`${name}: ${summary} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  }
  const inspectors = ERAS.map(era => inspector(folder, era))
  if (inspectors.some(isWanted)) {
    const cli = inspectorCli(`${server.origin}/mcp`, folder)
    for (const era of ERAS) {
      await succeed(TASUKI, ['project', 'create', era.toUpperCase(), era], where)
      await step(`Inspector --cli, ${era} era`, () => cli.load(token, era, era.toUpperCase()))
    }
    await step('Inspector --cli without a token', () => cli.goWithoutToken().then(() => 'must sign in'))
  }
  if (isWanted(claudeCode)) await step('Claude Code, by the line that is shown', () => connectAsShown(server, folder))
  await succeed(TASUKI, ['workflow', 'copy', 'Own'], where)

  const target = await newTarget(server.origin, token, proxy, await setUp(server))
  for (const client of [...sdks, langchain, aiSdk, openAiAgents, ...inspectors].filter(isWanted))
    await step(client.name, async () => {
      rows.push(await checkClient(client, target))
      return 'checked'
    })
  for (const { stop } of inspectors) await stop()
  for (const agent of AGENTS.filter(isWanted))
    await step(agent.name, async () => {
      rows.push(await checkAgent(agent, target, folder))
      return 'checked'
    })
  console.log()
  if (!report(rows)) process.exitCode = 1
} finally {
  await proxy.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
