import type { AllClientMetadata } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import { safeFetch } from '../../http/safe-fetch.ts'
import type { Db, Log } from '../../plugin/context.ts'
import { json } from '../../plugin/tables.ts'
import { artifactId } from './artifact-id.ts'
import { findArtifact, putArtifact } from './artifact.repository.ts'

const KIND = 'ClientDocument'
export const DOCUMENT_LIMITS = { mostBytes: 64 * 1024, timeoutMs: 4000 }
/** Response headers that describe the content type and caching. */
const COPIED_HEADERS = ['content-type', 'cache-control', 'expires']
const RETRY_SECONDS = 60

/**
 * Fetches metadata documents of clients; used as the `fetch` of the provider. While a host does not answer, the last approved document is
 * used, because an `invalid_client` error would make clients discard their tokens.
 */
export function createDocumentFetcher(database: Pick<Database, 'write'>, log: Log) {
  return async (input: string | URL | Request): Promise<Response> => {
    const address = input instanceof Request ? input.url : String(input)
    try {
      const { status, headers, body } = await safeFetch(address, DOCUMENT_LIMITS)
      if (status !== 200) throw new Error(`the answer is ${status}`)
      const copiedHeaders = COPIED_HEADERS.flatMap(name =>
        headers[name] === undefined ? [] : [[name, String(headers[name])]],
      )
      return new Response(new Uint8Array(body), { headers: copiedHeaders as [string, string][] })
    } catch (error) {
      const document =
        (await findArtifact(database.write, { id: artifactId(KIND, address) }, new Date()))?.payload ?? null
      log.warn(
        { client: new URL(address).host, error: (error as Error).message, kept: document !== null },
        'the metadata of an app could not be fetched; where nothing can be, set oauth.client_metadata_documents to false, and apps register',
      )
      if (document === null) throw error
      return Response.json(document, { headers: { 'cache-control': `max-age=${RETRY_SECONDS}` } })
    }
  }
}

/** Stores the metadata of an approved client. */
export async function storeDocument(db: Db, address: string, metadata: AllClientMetadata, now: Date): Promise<void> {
  await putArtifact(db, { id: artifactId(KIND, address), kind: KIND, payload: json<object>(metadata), created_at: now })
}
