import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed, type Serving } from '../processes.ts'
import type { Agent } from './agent.ts'
import { signInClaude } from './claude-sign-in.ts'
import { programOf } from './installed.ts'

const CLAUDE = programOf('@anthropic-ai/claude-code/cli-wrapper.cjs')

/** Claude Code; an environment variable redirects its API calls to the scripted model. */
export const claudeCode: Agent = {
  name: 'Claude Code',
  signIn: (target, folder) => signInClaude(CLAUDE, target, folder),
  async converse({ url, token, model, folder }) {
    const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } }
    const config = join(folder, 'mcp.json')
    writeFileSync(config, JSON.stringify({ mcpServers: { tasuki: server } }))
    const env = {
      HOME: folder,
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Lists all tools at once instead of searching for them.
      ENABLE_TOOL_SEARCH: 'false',
    }
    const words = [
      '--print',
      'Tidy up.',
      '--mcp-config',
      config,
      '--strict-mcp-config',
      '--allowedTools',
      'mcp__tasuki',
    ]
    await succeed(CLAUDE, words, { cwd: folder, env, inherit: false })
  },
}

/** Runs the exact command that the first start prints, then lets the program check the connection. @returns its output */
export async function connectAsShown({ output }: Serving, folder: string): Promise<string> {
  const line = /^ *claude (mcp add .*)$/m.exec(output.stdout)?.[1]
  assert.ok(line !== undefined, output.stdout)
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(match => match[1] ?? match[2]!)
  const home = { cwd: folder, env: { HOME: folder }, inherit: false }
  await succeed(CLAUDE, words, home)
  const list = await succeed(CLAUDE, ['mcp', 'list'], home)
  const state = list.split('\n').find(text => text.startsWith('tasuki:')) ?? list
  assert.match(state, /Connected/)
  return state.trim()
}
