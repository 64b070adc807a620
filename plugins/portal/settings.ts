import { defineConfig, httpAddress, Type, type Static } from 'tasuki/plugin'

const Provider = Type.Object(
  {
    issuer: httpAddress('Issuer address; everything else is discovered from it.'),
    client_id: Type.String({ minLength: 1 }),
    client_secret_file: Type.Optional(
      Type.String({ description: 'File with the client secret; leave it out for a public client.' }),
    ),
    name: Type.Optional(
      Type.String({
        description: 'Text of the sign-in button; default: "single sign-on" in the language of the person.',
      }),
    ),
    scope: Type.String({ default: 'openid email profile' }),
    trust_email: Type.Boolean({
      default: false,
      description:
        'Lets a first sign-in find its user by a verified e-mail address. Set it only for a provider that you run or chose.',
    }),
  },
  { additionalProperties: false, description: 'OpenID provider for sign-in.' },
)
export type ProviderSettings = Static<typeof Provider>

export const settings = defineConfig(
  'portal',
  Type.Object({
    session_days: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 365,
      description: 'Days until a person has to sign in again.',
    }),
    tokens_per_user: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: 10_000,
      description: 'Maximum number of active personal access tokens of a user, issued in the portal.',
    }),
    idle_hours: Type.Integer({
      default: 24 * 7,
      minimum: 1,
      description: 'Hours without a request until a session ends.',
    }),
    sign_in_failures: Type.Integer({
      default: 10,
      minimum: 3,
      description:
        'Failed sign-ins to one account from one address before each further one has to wait, twice as long each time; ten times as many to one account or from one address. They are forgotten 15 minutes after the last.',
    }),
    password_sign_in: Type.Boolean({
      default: true,
      description: 'false allows sign-in only through the OpenID provider and set-up links.',
    }),
    openid: Type.Optional(Provider),
  }),
)
