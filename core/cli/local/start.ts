import { Type } from '@sinclair/typebox'
import { serve } from '../serve.ts'
import { localCommand } from './local-command.ts'

export const start = localCommand({
  name: 'start',
  summary: 'Serve; so does tasuki alone. SIGTERM and Ctrl+C finish what is under way and stop.',
  args: Type.Object({}),
  run: env => serve(env),
})
