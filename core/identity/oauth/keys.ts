import { generateKeyPairSync, randomBytes, type JsonWebKey } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { Db, Log } from '../../plugin/context.ts'
import { json } from '../../plugin/tables.ts'
import { createSealer } from '../sealer.ts'
import { derivedKey } from '../signing-key.ts'
import { artifactId } from './artifact-id.ts'
import { addArtifact, findArtifact } from './artifact.repository.ts'

/** Keys that all instances of the authorization server share. */
export interface ProviderKeys {
  readonly signing: JsonWebKey
  readonly cookies: readonly string[]
}

const KIND = 'Keys'
const ID = artifactId(KIND, 'provider')

/** Derives the key that encrypts what the authorization server stores. */
export function artifactKey(secret: Buffer): Buffer {
  return derivedKey(secret, 'oauth artifacts')
}

/** Returns where a deployment keeps its keys that got another SECRET_KEY: the keys of the former one stay, in case that it was a mistake. */
function ownId(key: Buffer): string {
  return artifactId(KIND, derivedKey(key, 'id of keys').toString('hex'))
}

/** Compares the stored keys with a key: it opens them, it has made others since, or it cannot open any. */
export async function compareKeys(db: Db, key: Buffer, now: Date): Promise<'same' | 'others' | 'mismatch'> {
  const shared = await findArtifact(db, { id: ID }, now)
  if (!shared || createSealer(key).open(shared.payload.sealed!, KIND) !== null) return 'same'
  return (await findArtifact(db, { id: ownId(key) }, now)) ? 'others' : 'mismatch'
}

/** Loads the keys of this deployment. The first instance creates them; they are stored encrypted. @param key result of `artifactKey` */
export async function loadKeys(
  database: Pick<Database, 'write'>,
  key: Buffer,
  now: () => Date,
  log: Log,
): Promise<ProviderKeys> {
  const sealer = createSealer(key)
  const state = await compareKeys(database.write, key, now())
  if (state === 'mismatch') log.error({}, `${KEYS_OF_ANOTHER_SECRET}. New keys are made now, and the others stay`)
  const payload = json({ sealed: sealer.seal(JSON.stringify(makeKeys()), KIND) })
  for (const id of state === 'same' ? [ID, ownId(key)] : [ownId(key)]) {
    await addArtifact(database.write, { id, kind: KIND, payload, created_at: now() })
    const stored = await findArtifact(database.write, { id }, now())
    const opened = sealer.open(stored!.payload.sealed!, KIND)
    if (opened !== null) return JSON.parse(opened) as ProviderKeys
  }
  throw new Error('the keys of the authorization server are damaged')
}

export const KEYS_OF_ANOTHER_SECRET =
  'the keys of the authorization server were made with another SECRET_KEY (or secret.key), which also encrypts secrets of webhooks and of ' +
  'authenticator apps: if other instances use this database, stop this process and run it again with their key; if it is lost, see config/README.md'

function makeKeys(): ProviderKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    signing: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: randomBytes(8).toString('hex') },
    cookies: [randomBytes(32).toString('base64url')],
  }
}
