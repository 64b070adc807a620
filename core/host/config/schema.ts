import { Type, type Static } from '@sinclair/typebox'
import { OAuthSettingsSchema } from '../../identity/oauth/settings.ts'
import { choice, EXPECTED } from '../../plugin/fields.ts'
import { ProfilesSchema } from '../../runtime/registry/profiles.ts'

/** When scheduled backups are made. */
export const DEFAULT_SCHEDULE = '30 1 * * *'

/** A name, or an address of IPv6. A scheme or a port would make the entry match nothing. */
const HostName = Type.String({
  pattern: '^(?:[^\\s/:@*\\[\\]]+|\\[?[\\da-fA-F.]*:[\\da-fA-F.]*:[\\da-fA-F:.]*\\]?)$',
  [EXPECTED]: 'a host name without scheme, port and path, such as tasks.example.com',
})

/** Schema of config/default.json and of the operator's file; config/schema.json is generated from it. */
export const ConfigSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    plugins: Type.Record(Type.String(), Type.Union([Type.Object({}, { additionalProperties: true }), Type.Boolean()]), {
      description:
        'Plugin → its settings; true = on with default settings, false = off. The name of a built-in plugin, an npm package, or a path beginning with ./ or /. Packages and paths may also be plain Fastify plugins; they get the settings as their options.',
    }),
    profiles: ProfilesSchema,
    confirm: choice(['ask', 'token', 'off'], {
      default: 'ask',
      description:
        'How dangerous tools are confirmed. ask: through the client, by a form or a page of the portal, with a one-time token for clients that can do neither; token: always by token; off: not at all.',
    }),
    sessions: Type.Boolean({
      default: true,
      description:
        'Lets clients of the 2025 revisions be asked for confirmations, with sessions in the memory of the process; with several instances it needs sticky routing.',
    }),
    result_ceiling: Type.Integer({
      default: 200_000,
      minimum: 10_000,
      description: 'Largest result of a tool in bytes; longer lists are cut after a row.',
    }),
    body_limit: Type.Integer({ default: 10_000_000, minimum: 100_000, description: 'Largest request body in bytes.' }),
    request_timeout_ms: Type.Integer({
      default: 30_000,
      minimum: 1000,
      description:
        'Timeout in milliseconds for the headers of a request, and then for its body; file uploads have a separate limit.',
    }),
    max_connections: Type.Integer({
      default: 10_000,
      minimum: 10,
      description: 'Maximum number of open connections; further ones are closed.',
    }),
    query_timeout_ms: Type.Integer({
      default: 10_000,
      minimum: 100,
      maximum: 86_400_000,
      description: 'Milliseconds until a database statement is cancelled.',
    }),
    pool_size: Type.Integer({
      default: 10,
      minimum: 2,
      description: 'Connections to PostgreSQL for reads, and the same number for writes.',
    }),
    allowed_hosts: Type.Array(HostName, {
      default: [],
      description:
        'Host names that requests may use, in addition to localhost and the host of BASE_URL (or HOST, if BASE_URL is not set).',
    }),
    trusted_proxies: Type.Array(Type.String(), {
      default: [],
      description:
        'Addresses or networks of your proxies (10.0.0.0/8, loopback); only their X-Forwarded headers are used.',
    }),
    allowed_origins: Type.Array(HostName, {
      default: [],
      description: 'Host names of web pages that may call the service from a browser.',
    }),
    limits: Type.Object(
      {
        requests_per_minute: Type.Integer({
          default: 6000,
          minimum: 0,
          description: 'Requests of one credential to the MCP endpoint and the addresses for programs.',
        }),
        writes_per_minute: Type.Integer({
          default: 3000,
          minimum: 0,
          description: 'Calls of tools, and requests to the addresses for programs, of one credential that write.',
        }),
        wrong_tokens_per_minute: Type.Integer({
          default: 120,
          minimum: 0,
          description: 'Requests of one address (IPv6: /64 network) with a token that is not valid.',
        }),
      },
      {
        default: {},
        additionalProperties: false,
        description:
          'Rate limits, counted by each process; 0 = none. Above a limit the answer is 429 with Retry-After.',
      },
    ),
    audit: Type.Object(
      {
        keep_days: Type.Integer({
          default: 365,
          minimum: 7,
          maximum: 36_500,
          description: 'Days to keep entries of the audit trail.',
        }),
      },
      {
        default: {},
        additionalProperties: false,
        description: 'The audit trail: who signed in, what was refused or changed.',
      },
    ),
    backups: Type.Object(
      {
        folder: Type.Optional(
          Type.String({
            minLength: 1,
            description: 'Folder for scheduled backups, absolute or within DATA_DIR; without it no backups are made.',
          }),
        ),
        schedule: Type.String({
          default: DEFAULT_SCHEDULE,
          pattern: '^\\S+( \\S+){4}$',
          [EXPECTED]: 'a cron expression of five fields, such as 30 1 * * *',
          description: 'When backups are made: a cron expression of five fields, in UTC.',
        }),
        keep: Type.Integer({
          default: 7,
          minimum: 1,
          description: 'Number of backups to keep; older ones are deleted.',
        }),
        keep_days: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Days to keep a backup; the newest one stays.' }),
        ),
      },
      { default: {}, additionalProperties: false, description: 'Scheduled backups; tasuki backup makes one by hand.' },
    ),
    oauth: OAuthSettingsSchema,
  },
  { additionalProperties: false },
)
export type Config = Static<typeof ConfigSchema>
