import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed } from '../processes.ts'
import type { Agent } from './agent.ts'
import { programOf } from './installed.ts'

const GEMINI = programOf('@google/gemini-cli/bundle/gemini.js')

/** Gemini CLI; an environment variable redirects its API calls to the scripted model. */
export const geminiCli: Agent = {
  name: 'Gemini CLI',
  async converse({ url, token, model, folder }) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      mcpServers: { tasuki: { httpUrl: url, headers: { Authorization: `Bearer ${token}` }, trust: true } },
    }
    mkdirSync(join(folder, '.gemini'))
    writeFileSync(join(folder, '.gemini/settings.json'), JSON.stringify(settings))
    const env = { HOME: folder, GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model }
    const words = ['--skip-trust', '--yolo', '--model', 'gemini-2.5-pro', '--prompt', 'Tidy up.']
    await succeed(GEMINI, words, { cwd: folder, env, inherit: false })
  },
}
