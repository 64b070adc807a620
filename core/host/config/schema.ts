import { Type, type Static } from '@sinclair/typebox'
import { OAuthSettingsSchema } from '../../identity/oauth/settings.ts'
import { choice } from '../../plugin/fields.ts'
import { ProfilesSchema } from '../../runtime/registry/profiles.ts'

/** Settings of config/default.json and of an operator's file; config/schema.json is generated from this. */
export const ConfigSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    plugins: Type.Record(Type.String(), Type.Union([Type.Object({}, { additionalProperties: true }), Type.Boolean()]), {
      description:
        'Plugin → its settings; true = on with its default settings, false = off. A name of this project, an npm package, or a path beginning with ./ or /.',
    }),
    profiles: ProfilesSchema,
    confirm: choice(['ask', 'token', 'off'], {
      default: 'ask',
      description:
        'How dangerous tools are confirmed: ask the user through the client (by a form, or by a page of the portal), or a token for clients that cannot ask; always a token; not at all.',
    }),
    sessions: Type.Boolean({
      default: true,
      description:
        'Lets clients of the 2025 revisions be asked for confirmations, by sessions kept in this process; with several instances it needs sticky routing.',
    }),
    result_ceiling: Type.Integer({
      default: 200_000,
      minimum: 10_000,
      description: 'Largest result of a tool in bytes; longer lists are cut at a row.',
    }),
    body_limit: Type.Integer({ default: 10_000_000, minimum: 100_000, description: 'Largest request body in bytes.' }),
    request_timeout_ms: Type.Integer({
      default: 30_000,
      minimum: 1000,
      description:
        'Milliseconds in which the headers of a request have to arrive, and then its body; uploads of files have their own.',
    }),
    max_connections: Type.Integer({
      default: 10_000,
      minimum: 10,
      description: 'Connections that are open at once; more are closed unheard.',
    }),
    query_timeout_ms: Type.Integer({
      default: 10_000,
      minimum: 100,
      description: 'Milliseconds after which a database statement is stopped.',
    }),
    pool_size: Type.Integer({
      default: 10,
      minimum: 2,
      description: 'Connections to PostgreSQL for reads, and as many for writes.',
    }),
    allowed_hosts: Type.Array(Type.String(), {
      default: [],
      description:
        'Host names that requests may name besides localhost and that of BASE_URL, or of HOST where BASE_URL is not set.',
    }),
    trusted_proxies: Type.Array(Type.String(), {
      default: [],
      description:
        'Addresses or networks (10.0.0.0/8, loopback) of your proxies: their X-Forwarded headers tell who calls, which limits and logs need.',
    }),
    allowed_origins: Type.Array(Type.String(), {
      default: [],
      description: 'Host names of web pages that may call the service from a browser.',
    }),
    oauth: OAuthSettingsSchema,
  },
  { additionalProperties: false },
)
export type Config = Static<typeof ConfigSchema>
