import { defineConfig, Type } from 'tasuki/plugin'

export const settings = defineConfig(
  'numbering',
  Type.Object({
    series_per_user: Type.Integer({
      default: 500,
      minimum: 1,
      maximum: 100_000,
      description: 'Maximum number of numbering series of a user.',
    }),
  }),
)
