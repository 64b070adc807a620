import { readFile, writeFile } from 'node:fs/promises'
import { CONFIG_FOLDER } from '../../config/load.ts'
import { configJsonSchema } from '../../config/json-schema.ts'
import { HostError } from '../../plugin/errors.ts'
import { registryOf } from '../call-command.ts'
import type { LocalCommand } from './local-command.ts'

export const configCheck: LocalCommand = {
  name: 'config check',
  usage: 'config check',
  summary: 'Check environment, config and plugin set without starting anything.',
  async run(env) {
    const { plugins, tools, skipped, profiles } = await registryOf(env)
    process.stdout.write(
      `The config is valid: ${plugins.length} plugins, ${tools.size} tools, profiles ${profiles.join(', ')}.\n`,
    )
    for (const line of skipped) process.stdout.write(`Not used, because its target is off: ${line}\n`)
    return 0
  },
}

export const configSchema: LocalCommand = {
  name: 'config schema',
  usage: 'config schema [--check]',
  summary: 'Write config/schema.json, by which editors complete and check config files.',
  async run(_env, argv) {
    const file = new URL('schema.json', CONFIG_FOLDER)
    const text = `${JSON.stringify(await configJsonSchema(), null, 2)}\n`
    if (argv.includes('--check')) {
      if ((await readFile(file, 'utf8').catch(() => '')) !== text)
        throw new HostError('config/schema.json is stale; run: tasuki config schema')
      return 0
    }
    await writeFile(file, text)
    return 0
  },
}
