import { choice, defineTool, Type } from 'tasuki/plugin'
import { SETTING_SOURCES } from '../points.ts'
import { listSettings } from '../settings.ts'

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
    const wanted = prefix.trim().toLowerCase()
    const settings = (await listSettings(ctx)).filter(({ key }) => key.startsWith(wanted))
    return { settings: settings.map(({ key, value, source }) => ({ key, value, source })) }
  },
})
