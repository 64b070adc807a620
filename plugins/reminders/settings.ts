import { defineConfig, Type } from 'tasuki/plugin'

export const settings = defineConfig(
  'reminders',
  Type.Object({
    pending_per_user: Type.Integer({
      default: 5000,
      minimum: 1,
      maximum: 1_000_000,
      description: 'Maximum number of pending reminders on the items of a user.',
    }),
  }),
)
