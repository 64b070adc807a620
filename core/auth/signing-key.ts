import { hkdfSync, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The secret that this deployment signs with: SECRET_KEY, else a file in DATA_DIR that is made on first use.
 * Instances that share a database must share SECRET_KEY.
 */
export async function loadSecret(secretKey: string | null, dataDir: string | null): Promise<Buffer> {
  if (secretKey !== null) return Buffer.from(secretKey)
  if (dataDir === null) return randomBytes(32)
  const file = join(dataDir, 'secret.key')
  await mkdir(dataDir, { recursive: true })
  // Written only if absent, then read: two processes that start together agree.
  await writeFile(file, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  await chmod(file, 0o600)
  return readFile(file)
}

/** A key for one purpose, so that a signature made for one thing is worth nothing for another. */
export function derivedKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'tasuki', purpose, 32))
}
