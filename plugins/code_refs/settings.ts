import { defineConfig, Type } from 'tasuki/plugin'

export const settings = defineConfig(
  'code_refs',
  Type.Object({
    links_per_user: Type.Integer({
      default: 500,
      minimum: 1,
      maximum: 100_000,
      description: 'Maximum number of links of a user between projects and repositories, each with a webhook.',
    }),
  }),
)
