import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { S3Settings } from '../settings.ts'
import { StorageFailure, type Storage } from './storage.ts'

/** Maximum size in bytes of a file that is sent from memory. */
const BUFFERED = 5 * 1024 * 1024
const ignore = (): void => undefined
/** Errors are thrown, and logged by the code that catches them. */
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }

async function loadClient({ region, endpoint, force_path_style }: S3Settings) {
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    forcePathStyle: force_path_style,
    logger: SILENT,
    ...(region !== undefined && { region }),
    // Servers other than AWS often do not support the newer checksums.
    ...(endpoint !== undefined && {
      endpoint,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
  })
  return { sdk, client }
}

/** Stores files in a bucket. Each file is one PutObject of known length, so an interrupted upload leaves no parts behind. */
export function s3Storage(settings: S3Settings): Storage {
  const { bucket: Bucket, prefix } = settings
  const keyOf = (key: string): string => prefix + key
  // Imported on first use: it is slow to load, and most deployments do not need it.
  let loaded: ReturnType<typeof loadClient> | undefined
  const load = () => (loaded ??= loadClient(settings))
  const send = async (key: string, Body: Uint8Array | Readable, ContentLength: number): Promise<void> => {
    const { sdk, client } = await load()
    // The type and the disposition are for direct readers of the bucket.
    const described = { ContentType: 'application/octet-stream', ContentDisposition: 'attachment' }
    await client.send(new sdk.PutObjectCommand({ Bucket, Key: keyOf(key), Body, ContentLength, ...described }))
  }
  const has = async (key: string): Promise<boolean> => {
    const { sdk, client } = await load()
    return client.send(new sdk.HeadObjectCommand({ Bucket, Key: keyOf(key) })).then(
      () => true,
      (error: unknown) => {
        if (error instanceof sdk.NotFound) return false
        throw error
      },
    )
  }
  const get = async (key: string) => {
    const { sdk, client } = await load()
    const found = await client.send(new sdk.GetObjectCommand({ Bucket, Key: keyOf(key) })).catch((error: unknown) => {
      if (error instanceof sdk.NoSuchKey) return null
      throw error
    })
    return found?.Body ?? null
  }
  return {
    // The client can retry with a buffer, but not with a stream.
    put: (key, path, size) =>
      callStorage(async () => send(key, size <= BUFFERED ? await readFile(path) : createReadStream(path), size)),
    create: (key, bytes) =>
      callStorage(async () => {
        if (await has(key)) return false
        await send(key, bytes, bytes.length)
        return true
      }),
    settle: async () => undefined,
    has: key => callStorage(() => has(key)),
    bytes: key => callStorage(async () => (await (await get(key))?.transformToByteArray()) ?? null),
    get: key => callStorage(async () => (await get(key)) as Readable | null),
    async delete(keys) {
      if (keys.length === 0) return
      await callStorage(async () => {
        const { sdk, client } = await load()
        const Objects = keys.map(key => ({ Key: keyOf(key) }))
        const { Errors = [] } = await client.send(
          new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
        )
        if (Errors[0]) throw new Error(`${Errors[0].Code}: ${Errors[0].Key}`)
      })
    },
    list: (after, limit) =>
      callStorage(async () => {
        const { sdk, client } = await load()
        const { Contents = [] } = await client.send(
          new sdk.ListObjectsV2Command({
            Bucket,
            MaxKeys: limit,
            ...(prefix !== '' && { Prefix: prefix }),
            ...(after !== null && { StartAfter: keyOf(after) }),
          }),
        )
        return Contents.map(({ Key = '' }) => Key.slice(prefix.length))
      }),
  }
}

async function callStorage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StorageFailure(error)
  }
}
