import type { AllClientMetadata } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import { safeFetch } from '../../http/safe-fetch.ts'
import type { Db, Log } from '../../plugin/context.ts'
import { json } from '../../plugin/tables.ts'
import { artifactId } from './artifact-id.ts'
import { findArtifact, putArtifact } from './artifact.repository.ts'

const KIND = 'ClientDocument'
const LIMITS = { mostBytes: 64 * 1024, timeoutMs: 4000 }
/** Headers of the answer that say what it is and how long it holds. */
const PASSED_ON = ['content-type', 'cache-control', 'expires']
const RETRY_SECONDS = 60

/**
 * Fetches the metadata documents by which clients are known (the provider's `fetch`). While a host does not answer, the document under
 * which somebody approved its client still holds: told `invalid_client`, clients would throw away their tokens.
 */
export function documentFetcher(database: Pick<Database, 'write'>, log: Log) {
  return async (input: string | URL | Request): Promise<Response> => {
    const address = input instanceof Request ? input.url : String(input)
    try {
      const { status, headers, body } = await safeFetch(address, LIMITS)
      if (status !== 200) throw new Error(`the answer is ${status}`)
      const kept = PASSED_ON.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
      return new Response(new Uint8Array(body), { headers: kept as [string, string][] })
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

/** Keeps what an approved client says of itself. */
export async function keepDocument(db: Db, address: string, metadata: AllClientMetadata, now: Date): Promise<void> {
  await putArtifact(db, { id: artifactId(KIND, address), kind: KIND, payload: json<object>(metadata), created_at: now })
}
