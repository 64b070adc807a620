import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed } from '../processes.ts'
import type { Agent } from './agent.ts'
import { binary } from './installed.ts'

const OPENCODE = binary('opencode-linux-x64/bin/opencode')

/** Whether the OpenCode package of this folder, a native binary, supports this platform. */
export const supportsOpencode = process.platform === 'linux' && process.arch === 'x64'

/** OpenCode with a provider from its config file; it downloads nothing. */
export const opencode: Agent = {
  name: 'OpenCode',
  async converse({ url, token, model, folder }) {
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${model}/v1`, apiKey: 'none' },
      models: { scripted: { name: 'Scripted', tool_call: true, limit: { context: 1_000_000, output: 8_000 } } },
    }
    const config = {
      model: 'scripted/scripted',
      autoupdate: false,
      share: 'disabled',
      enabled_providers: ['scripted'],
      provider: { scripted: provider },
      mcp: { tasuki: { type: 'remote', url, oauth: false, headers: { Authorization: `Bearer ${token}` } } },
    }
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(config))
    const off = ['AUTOUPDATE', 'MODELS_FETCH', 'DEFAULT_PLUGINS', 'LSP_DOWNLOAD']
    const env = { HOME: folder, ...Object.fromEntries(off.map(name => [`OPENCODE_DISABLE_${name}`, '1'])) }
    await succeed(OPENCODE, ['run', '--auto', 'Tidy up.'], { cwd: folder, env, inherit: false })
  },
}
