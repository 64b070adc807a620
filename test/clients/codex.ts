import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed } from '../processes.ts'
import type { Agent } from './agent.ts'
import { programOf } from './installed.ts'

const CODEX = programOf('@openai/codex/bin/codex.js')

/** Codex CLI with a model provider from its config file. */
export const codex: Agent = {
  name: 'Codex CLI',
  async converse({ url, token, model, folder }) {
    const config = `
      model = "scripted"
      model_provider = "scripted"
      check_for_update_on_startup = false
      [model_providers.scripted]
      name = "Scripted"
      base_url = "${model}/v1"
      wire_api = "responses"
      [mcp_servers.tasuki]
      url = "${url}"
      bearer_token_env_var = "TASUKI_TOKEN"
    `
    const home = join(folder, '.codex')
    mkdirSync(home)
    writeFileSync(join(home, 'config.toml'), config)
    const env = { HOME: folder, CODEX_HOME: home, TASUKI_TOKEN: token }
    const words = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'Tidy up.']
    await succeed(CODEX, words, { cwd: folder, env, inherit: false })
  },
}
