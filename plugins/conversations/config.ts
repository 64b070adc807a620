import { defineConfig, Type } from 'tasuki/plugin'

/** Settings of conversations. */
export const conversationsConfig = defineConfig(
  'conversations',
  Type.Object({
    keep_days: Type.Integer({
      default: 180,
      minimum: 1,
      maximum: 3650,
      description: 'Days after which messages are deleted.',
    }),
  }),
)
