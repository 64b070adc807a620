import type { FastifyInstance } from 'fastify'
import { isIP } from 'node:net'
import { resolveBaseUrl, refuseForeignHosts } from '../http/host-validation.ts'
import { allowOrigins } from '../http/cors.ts'
import type { McpOptions, Presentation } from './options.ts'
import type { Revisions } from './revisions.ts'

/** Schema of the draft SEP-2127: github.com/modelcontextprotocol/experimental-ext-server-card. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json'
const CARD_TYPE = 'application/mcp-server-card+json'
/** The path of the draft, and the path of earlier proposals. */
const CARD_PATHS = ['/mcp/server-card', '/.well-known/mcp/server-card.json']
const CATALOG_PATH = '/.well-known/mcp/catalog.json'
const CACHE_CONTROL = 'public, max-age=3600'

/**
 * Serves the server card and the catalog, without a credential: they tell clients who and where the server is before they connect. The card
 * lists no tools, because those depend on the credential.
 */
export async function serverCard(
  scope: FastifyInstance,
  options: McpOptions,
  presentation: Presentation,
  revisions: Revisions,
): Promise<void> {
  refuseForeignHosts(scope, options.allowedHosts)
  const serve = (path: string, type: string, document: (origin: string) => object): void => {
    scope.route({
      method: ['GET', 'OPTIONS'],
      url: path,
      config: allowOrigins('*', ['GET']),
      // Sent as bytes, because Fastify adds a charset to the type of a string.
      handler: (request, reply) =>
        reply
          .headers({ 'content-type': type, 'cache-control': CACHE_CONTROL })
          .send(Buffer.from(JSON.stringify(document(resolveBaseUrl(presentation.baseUrl(), request))))),
    })
  }
  for (const path of CARD_PATHS) serve(path, CARD_TYPE, origin => buildCard(options, presentation, revisions, origin))
  serve(CATALOG_PATH, 'application/json; charset=utf-8', origin => ({
    specVersion: 'draft',
    entries: [
      {
        identifier: `urn:air:${hostOf(origin)}:${options.server.name}`,
        displayName: options.server.title,
        type: CARD_TYPE,
        url: `${origin}${CARD_PATHS[0]}`,
      },
    ],
  }))
}

function buildCard(
  { server }: McpOptions,
  { description, icons, hasPages }: Presentation,
  revisions: Revisions,
  origin: string,
): object {
  return {
    $schema: SCHEMA,
    name: `${reverseDomain(hostOf(origin))}/${server.name}`,
    title: server.title,
    version: server.version,
    description,
    icons,
    ...(hasPages && { websiteUrl: origin }),
    remotes: [
      {
        type: 'streamable-http',
        url: `${origin}/mcp`,
        supportedProtocolVersions: revisions.served(),
        headers: [
          {
            name: 'Authorization',
            description: 'Bearer and a personal access token. Clients that sign in by OAuth need none.',
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  }
}

/** Returns the host of an origin; IPv6 addresses become `localhost`, because the name must not contain colons. */
function hostOf(origin: string): string {
  const { hostname } = new URL(origin)
  return hostname.startsWith('[') ? 'localhost' : hostname
}

/** Reverses a domain: `tasks.example.com` → `com.example.tasks`. An IP address is returned unchanged. */
const reverseDomain = (name: string): string => (isIP(name) > 0 ? name : name.split('.').toReversed().join('.'))
