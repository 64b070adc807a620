import { sql } from 'kysely'
import { generateKeyPairSync, randomBytes, type JsonWebKey } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../plugin/context.ts'
import type { Sealer } from '../../plugin/sealer.ts'
import { artifactId } from './artifact-id.ts'

/** What all instances of the authorization server sign with. */
export interface ProviderKeys {
  readonly signing: JsonWebKey
  readonly cookies: readonly string[]
}

const KIND = 'Keys'
const ID = artifactId(KIND, 'provider')

/** The keys of this deployment, made by the first instance that asks, kept encrypted. */
export async function loadKeys(
  database: Pick<Database, 'write'>,
  sealer: Sealer,
  now: () => Date,
  log: Log,
): Promise<ProviderKeys> {
  const made = sealer.seal(JSON.stringify(makeKeys()), KIND)
  const kept = await keep(database, made, now(), sql`nothing`)
  const opened = sealer.open(kept, KIND)
  if (opened !== null) return JSON.parse(opened) as ProviderKeys
  log.warn({}, 'the keys of the authorization server were made with another SECRET_KEY; new ones replace them')
  await keep(database, made, now(), sql`update set payload = excluded.payload`)
  return JSON.parse(sealer.open(made, KIND)!) as ProviderKeys
}

/** @returns what is in the table then. */
async function keep(
  { write }: Pick<Database, 'write'>,
  sealed: string,
  now: Date,
  onConflict: ReturnType<typeof sql>,
): Promise<string> {
  await sql`
    insert into core.oauth_artifacts (id, kind, payload, created_at)
    values (${ID}, ${KIND}, jsonb_build_object('sealed', ${sealed}::text), ${now})
    on conflict (id) do ${onConflict}
  `.execute(write)
  const { rows } = await sql<{ sealed: string }>`
    select payload->>'sealed' as sealed from core.oauth_artifacts where id = ${ID}
  `.execute(write)
  return rows[0]!.sealed
}

function makeKeys(): ProviderKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    signing: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: randomBytes(8).toString('hex') },
    cookies: [randomBytes(32).toString('base64url')],
  }
}
