import { hkdfSync, randomBytes } from 'node:crypto'
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileProblem, makeFolder } from '../db/file-problem.ts'
import { HostError } from '../plugin/errors.ts'

const BYTES = 32
/** File name in DATA_DIR. */
export const KEY_FILE = 'secret.key'

/**
 * Loads the secret of this deployment: SECRET_KEY, else a file in DATA_DIR that is created on first use.
 * Instances that share a database must share SECRET_KEY.
 */
export async function loadSecret(secretKey: string | null, dataDir: string | null): Promise<Buffer> {
  if (secretKey !== null) return Buffer.from(secretKey)
  if (dataDir === null) return randomBytes(BYTES)
  const file = join(dataDir, KEY_FILE)
  try {
    makeFolder(dataDir, 0o700)
  } catch (error) {
    const why = fileProblem(error)
    throw why === null ? error : new HostError(`DATA_DIR ${dataDir} cannot be made: ${why}`)
  }
  const secret = (await readIfExists(file)) ?? (await makeKey(file))
  if (secret.length < BYTES)
    throw new HostError(`${file} does not hold a key; delete it to have a new one made, or set SECRET_KEY`)
  return secret
}

/** Reads the secret without creating it. If there is none yet, returns a random one. */
export async function readSecret(secretKey: string | null, dataDir: string): Promise<Buffer> {
  if (secretKey !== null) return Buffer.from(secretKey)
  return (await readIfExists(join(dataDir, KEY_FILE))) ?? randomBytes(BYTES)
}

async function readIfExists(file: string): Promise<Buffer | null> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new HostError(`cannot read the signing key ${file} (${error.code}); make it readable or set SECRET_KEY`)
  })
}

/** Creates the key file atomically. If two processes start together, both use the file of the first. */
async function makeKey(file: string): Promise<Buffer> {
  const temporaryFile = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(temporaryFile, randomBytes(BYTES).toString('base64url'), { flag: 'wx', mode: 0o600 })
  try {
    await chmod(temporaryFile, 0o600)
    await link(temporaryFile, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(temporaryFile, { force: true })
  }
  return readFile(file)
}

/** Derives a key for one purpose, so that a signature is not valid for another purpose. */
export function derivedKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'tasuki', purpose, 32))
}
