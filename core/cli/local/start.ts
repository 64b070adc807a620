import { Type } from '@sinclair/typebox'
import { serve } from '../serve.ts'
import { localCommand } from './local-command.ts'

export const start = localCommand({
  name: 'start',
  summary: 'Serve; tasuki without a command does the same. SIGTERM and Ctrl+C finish open requests and stop.',
  args: Type.Object({}),
  run: env => serve(env),
})
