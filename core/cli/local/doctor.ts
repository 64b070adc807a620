import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import type { Environment } from '../../config/environment.ts'
import { hostFrom } from '../../start.ts'
import { registryOf } from '../call-command.ts'
import { sendCommand } from '../control.ts'
import { told } from '../problem.ts'
import { localCommand } from './local-command.ts'

interface Finding {
  readonly ok: boolean
  readonly what: string
}

export const doctor = localCommand({
  name: 'doctor',
  summary: 'Check this machine, the config and the database, and say what to mend.',
  args: Type.Object({}),
  async run(env) {
    const basis = [runtime(), ...(await attempt('config', () => settings(env)))]
    const isUsable = basis.every(finding => finding.ok)
    const findings = isUsable ? [...basis, ...(await attempt('database', () => database(env)))] : basis
    for (const { ok, what } of findings) process.stdout.write(`${ok ? 'ok   ' : 'WRONG'} ${what}\n`)
    if (!isUsable) process.stdout.write('The database was not looked at.\n')
    return findings.every(finding => finding.ok) ? 0 : 1
  },
})

async function attempt(what: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [{ ok: false, what: `${what}: ${told(error)}` }]
  }
}

function runtime(): Finding {
  const [major = 0] = process.versions.node.split('.').map(Number)
  return { ok: major >= 24, what: `Node ${process.versions.node}${major >= 24 ? '' : ': 24 or later is needed'}` }
}

async function settings(env: Environment): Promise<Finding[]> {
  const { plugins, tools, skipped } = await registryOf(env)
  return [
    { ok: true, what: `config: ${plugins.length} plugins, ${tools.size} tools` },
    ...skipped.map(line => ({ ok: true, what: `not used, because its target is off: ${line}` })),
    {
      ok: true,
      what: env.secretKey
        ? 'SECRET_KEY is set'
        : `signing key in ${env.dataDir}/secret.key (instances that share a database need the same SECRET_KEY)`,
    },
  ]
}

async function database(env: Environment): Promise<Finding[]> {
  const engine = env.databaseUrl ? 'PostgreSQL' : `embedded database in ${env.dataDir}`
  const users = await sendCommand(env, 'user list', {})
  if (users) return [{ ok: true, what: `${engine}: a server is running and answers` }]
  const host = await hostFrom(env, false)
  try {
    const { rows } = await sql<{
      version: string
      japanese: boolean
    }>`select version() as version, show_trgm('議事録') <> '{}' as japanese`.execute(host.database.read)
    const { version, japanese } = rows[0]!
    return [
      { ok: true, what: `${engine}: ${version.split(' on ')[0]}, migrations done` },
      {
        ok: japanese,
        what: japanese
          ? 'its locale can search Japanese'
          : 'its locale cannot search Japanese: create the database with LC_CTYPE C.UTF-8 or another UTF-8 locale',
      },
    ]
  } finally {
    await host.app.close()
  }
}
