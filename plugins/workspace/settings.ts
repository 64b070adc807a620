import type { ReadContext } from 'tasuki/plugin'
import { settingSources, type Setting } from './points.ts'
import { readSettings } from './setting.repository.ts'

/** Returns the caller's settings by key: those of all plugins, and what the caller chose. */
export async function listSettings(ctx: ReadContext): Promise<readonly Setting[]> {
  const sources = ctx.all(settingSources)
  const { chosen, found } = await readSettings(ctx, sources)
  const settings = new Map<string, Setting>()
  sources.forEach((source, n) => {
    for (const setting of source.settings(ctx, found[n])) settings.set(setting.key, setting)
  })
  for (const [key, value] of Object.entries(chosen)) settings.set(key, { key, value, source: 'user' })
  return [...settings.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}
