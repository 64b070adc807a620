import { Type } from '@sinclair/typebox'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { configJsonSchema } from '../../host/config/json-schema.ts'
import { CONFIG_FOLDER, loadConfig } from '../../host/config/load.ts'
import { absentNames } from '../../host/config/plugins.ts'
import { HostError } from '../../plugin/errors.ts'
import { formatCount } from '../../plugin/format-count.ts'
import { registryOf } from '../call-command.ts'
import { localCommand } from './local-command.ts'

export const configCheck = localCommand({
  name: 'config check',
  summary: 'Check environment, config and plugin set without starting anything.',
  args: Type.Object({}),
  async run(env) {
    const { plugins, tools, skipped, profiles } = await registryOf(env)
    const { loadEntities } = await import('../../db/orm-options.ts')
    await loadEntities(plugins)
    process.stdout.write(
      `The config is valid: ${formatCount(plugins.length, 'plugin')}, ${formatCount(tools.size, 'tool')}, profiles ${profiles.join(', ')}.\n`,
    )
    for (const name of absentNames(await loadConfig(env.configFile)))
      process.stdout.write(`Switched off, but not there: ${name}\n`)
    for (const line of skipped) process.stdout.write(`Not used, because its target is off: ${line}\n`)
  },
})

export const configSchema = localCommand({
  name: 'config schema',
  summary: 'Write config/schema.json, which editors use to complete and check config files.',
  args: Type.Object({
    check: Type.Optional(Type.Boolean({ description: 'Write nothing; fail when the file is stale.' })),
  }),
  async run(_env, { check }) {
    const file = new URL('schema.json', CONFIG_FOLDER)
    const text = `${JSON.stringify(await configJsonSchema(), null, 2)}\n`
    if (!check) {
      await writeFile(file, text)
      process.stdout.write(`Wrote ${fileURLToPath(file)}.\n`)
    } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      throw new HostError('config/schema.json is stale; run: tasuki config schema')
    }
  },
})
