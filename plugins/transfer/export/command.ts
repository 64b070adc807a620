import { choice, defineCommand, formatCount, Type } from 'tasuki/plugin'
import { ownerOption } from '../../projects/index.ts'
import { exportPage, type ExportPosition } from './export.ts'
import { EXPORT_FORMATS } from './formats.ts'

export const exportItems = defineCommand({
  name: 'export items',
  summary: 'Export the items of a project, or those that a filter finds, as CSV, JSON or Markdown.',
  args: Type.Object({
    project: Type.Optional(
      Type.String({ minLength: 1, maxLength: 300, description: 'Key of the project; default all of them.' }),
    ),
    filter: Type.Optional(
      Type.String({ maxLength: 2000, description: 'Only these, for example "is:open label:bug".' }),
    ),
    format: Type.Optional(choice(EXPORT_FORMATS, { default: 'json', description: 'JSON has everything.' })),
    output: Type.Optional(Type.String({ minLength: 1, description: 'File to write; default standard output.' })),
    user: ownerOption,
  }),
  positional: ['project'],
  files: ['output'],
  output: 'output',
  forUser: true,
  reads: true,
  async run(ctx, args) {
    const { position } = args as { readonly position?: ExportPosition }
    const { project, filter, format = 'json' } = args
    const { text, done, next } = await exportPage(ctx, { project, filter, format }, position ?? null)
    if (next) return { output: text, next: { args: { ...args, position: next }, done, total: next.total } }
    return { output: text, text: `Exported ${formatCount(done, 'item')}.` }
  },
})
