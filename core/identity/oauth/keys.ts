import { generateKeyPairSync, randomBytes, type JsonWebKey } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../plugin/context.ts'
import type { Sealer } from '../../plugin/sealer.ts'
import { json } from '../../plugin/tables.ts'
import { artifactId } from './artifact-id.ts'
import { addArtifact, findArtifact, putArtifact } from './artifact.repository.ts'

/** Keys that all instances of the authorization server share. */
export interface ProviderKeys {
  readonly signing: JsonWebKey
  readonly cookies: readonly string[]
}

const KIND = 'Keys'
const ID = artifactId(KIND, 'provider')

/** Loads the keys of this deployment. The first instance creates them; they are stored encrypted. */
export async function loadKeys(
  database: Pick<Database, 'write'>,
  sealer: Sealer,
  now: () => Date,
  log: Log,
): Promise<ProviderKeys> {
  const sealedKeys = sealer.seal(JSON.stringify(makeKeys()), KIND)
  const row = { id: ID, kind: KIND, payload: json({ sealed: sealedKeys }), created_at: now() }
  await addArtifact(database.write, row)
  const stored = await findArtifact(database.write, { id: ID }, now())
  const opened = sealer.open(stored!.payload.sealed!, KIND)
  if (opened !== null) return JSON.parse(opened) as ProviderKeys
  log.warn({}, 'the keys of the authorization server were made with another SECRET_KEY; new ones replace them')
  await putArtifact(database.write, row)
  return JSON.parse(sealer.open(sealedKeys, KIND)!) as ProviderKeys
}

function makeKeys(): ProviderKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    signing: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: randomBytes(8).toString('hex') },
    cookies: [randomBytes(32).toString('base64url')],
  }
}
