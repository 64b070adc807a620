import { DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { startFauxqs } from 'fauxqs'
import { randomUUID } from 'node:crypto'

/** An S3-compatible server for one suite, with the settings of a host that uses it. */
export interface ObjectStore {
  readonly settings: object
  keys(): Promise<string[]>
  remove(key: string): Promise<void>
  close(): Promise<void>
}

const BUCKET = 'attachments'
const PREFIX = `tests/${randomUUID()}/`

/** Starts a server, or uses the server at TEST_S3_ENDPOINT and its bucket `attachments`. */
export async function startObjectStore(): Promise<ObjectStore> {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test'
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test'
  const configured = process.env['TEST_S3_ENDPOINT']
  const server = configured ? null : await startFauxqs({ port: 0, logger: false, init: { buckets: [BUCKET] } })
  const endpoint = configured ?? `http://127.0.0.1:${server!.port}`
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
  return {
    settings: { s3: { bucket: BUCKET, prefix: PREFIX, region: 'us-east-1', endpoint, force_path_style: true } },
    async keys() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: PREFIX }))
      return Contents.map(({ Key }) => Key!.slice(PREFIX.length))
    },
    remove: async key => void (await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: PREFIX + key }))),
    async close() {
      client.destroy()
      await server?.stop()
    },
  }
}
