import { defineConfig, Type, type Static } from 'tasuki/plugin'

const Provider = Type.Object(
  {
    issuer: Type.String({
      pattern: '^https?://',
      description: 'Its issuer address, from which the rest is discovered.',
    }),
    client_id: Type.String({ minLength: 1 }),
    client_secret_file: Type.Optional(
      Type.String({ description: 'File with the client secret; none for a public client.' }),
    ),
    name: Type.Optional(
      Type.String({
        description: 'What people call it; left out, the pages say single sign-on in the language of the person.',
      }),
    ),
    scope: Type.String({ default: 'openid email profile' }),
    trust_email: Type.Boolean({
      default: false,
      description:
        'Lets a first sign-in find its user by e-mail address, if the provider says that it verified it. Only for a provider that you run or chose.',
    }),
  },
  { additionalProperties: false, description: 'An OpenID provider that people may sign in through.' },
)
export type ProviderSettings = Static<typeof Provider>

export const settings = defineConfig(
  'portal',
  Type.Object({
    session_days: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 365,
      description: 'Days after which one signs in again.',
    }),
    idle_hours: Type.Integer({
      default: 24 * 7,
      minimum: 1,
      description: 'Hours without a request after which a session ends.',
    }),
    sign_in_failures: Type.Integer({
      default: 10,
      minimum: 3,
      description:
        'Failed sign-ins to one account within 15 minutes, after which it has to wait; ten times as many from one address.',
    }),
    password_sign_in: Type.Boolean({
      default: true,
      description: 'false leaves the OpenID provider as the only way in, but for set-up links.',
    }),
    openid: Type.Optional(Provider),
  }),
)
