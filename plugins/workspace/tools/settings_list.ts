import { choice, defineTool, Type } from 'tasuki/plugin'
import { SETTING_SOURCES, settingSources, type Setting } from '../points.ts'
import { readSettings } from '../setting.repository.ts'

const SettingSchema = Type.Object({
  key: Type.String(),
  value: Type.Unknown(),
  source: choice(SETTING_SOURCES, { description: 'Who chose it; deployment = its operator.' }),
})

export const settingsList = defineTool({
  name: 'settings_list',
  class: 'R',
  title: 'List settings',
  summary: 'Lists your model and chat settings, feature switches and limits. They are changed in the portal.',
  rank: 870,
  input: { prefix: Type.Optional(Type.String({ description: 'Start of the keys.' })) },
  output: { settings: Type.Array(SettingSchema) },
  rows: 'settings',
  async run(ctx, { prefix = '' }) {
    const sources = ctx.all(settingSources)
    const { chosen, found } = await readSettings(ctx, sources)
    const settings = new Map<string, Setting>()
    sources.forEach((source, n) => {
      for (const setting of source.settings(ctx, found[n])) settings.set(setting.key, setting)
    })
    for (const [key, value] of Object.entries(chosen)) {
      settings.set(key, { key, value, source: 'user' })
    }
    const wanted = prefix.trim().toLowerCase()
    return {
      settings: [...settings.values()]
        .filter(({ key }) => key.startsWith(wanted))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    }
  },
})
