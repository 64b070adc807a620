import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { clip, defineCommand, formatCount, nameKey, quoteName, quoteValue, ToolError, Type } from 'tasuki/plugin'
import type { CommandResult, WriteContext } from 'tasuki/plugin'
import { workflowOf } from '../items/index.ts'
import { ownerOption, projectArgument, requireProject } from '../projects/index.ts'
import { resolveState } from '../workflows/index.ts'
import { contentOf, parseContent, type Content } from './content.ts'
import type { ImportChoice, ImportOutcome } from './import.ts'
import { inMegabytes } from './memory-limits.ts'
import { PROBLEMS } from './parse-file.ts'
import { planImport } from './plan.ts'
import type { ImportProblem } from './points.ts'
import { beginImport, importNextSet, recordImported, type Position } from './sets.ts'

const MAX_BYTES = 50 * 1024 * 1024

/** Progress of an import, which the command line passes from set to set. */
interface FilePosition extends Position {
  /** Digest of the file, which must not change during the import. */
  readonly digest: string
}

const Args = Type.Object({
  file: Type.String({ minLength: 1, description: 'The file: CSV, JSON or ZIP.' }),
  project: projectArgument,
  format: Type.Optional(Type.String({ description: 'Its format; found out where it is left out.' })),
  map: Type.Optional(Type.String({ description: 'Columns of a table: "title=Summary,due=Due".' })),
  states: Type.Optional(Type.String({ description: 'States of the file as yours: "QA=In review,Icebox=Backlog".' })),
  yes: Type.Optional(Type.Boolean({ description: 'Import; without it, only say what would be imported.' })),
  user: ownerOption,
})

export const importFile = defineCommand({
  name: 'import file',
  summary: 'Import items from other programs into a project. Without --yes, only show what would happen.',
  args: Args,
  positional: ['file', 'project'],
  files: ['file'],
  forUser: true,
  reads: ({ yes }) => yes !== true,
  async run(ctx, args): Promise<CommandResult> {
    const { position } = args as { readonly position?: FilePosition }
    const project = await requireProject(ctx, args.project, { write: true })
    const content = await readContent(ctx, args)
    const { format, items } = content
    const choice = { project, format, from: basename(args.file), states: statesIn(args.states) }
    if (!position) await requireStates(ctx, choice)
    if (!args.yes) return dryRun(content, await planImport(ctx, items, choice))
    if (position && position.digest !== content.digest)
      throw new ToolError('conflict', 'The file changed while it was imported.', {
        field: 'file',
        hint: 'Run the same command again: what was imported is not imported twice.',
      })
    return importSet(ctx, args, choice, content, position ?? beginImport(content))
  },
})

async function importSet(
  ctx: WriteContext,
  args: Readonly<Record<string, unknown>>,
  choice: ImportChoice,
  content: Content,
  before: Position,
): Promise<CommandResult> {
  const position = await importNextSet(ctx, content, choice, before)
  const { created, known, problems, more } = position
  const { digest, items } = content
  if (position.from < items.length)
    return { next: { args: { ...args, position: { ...position, digest } }, done: position.from, total: items.length } }
  recordImported(ctx, choice, position)
  const text = `Imported ${formatCount(created, 'item')} into ${choice.project.key}; ${formatCount(known, 'was', 'were')} there already.`
  return {
    text: more > 0 ? `${text} ${formatCount(more, 'more problem is', 'more problems are')} not shown.` : text,
    rows: problems.map(toRow),
  }
}

function dryRun(
  { format, ignored, problems: found, more }: Content,
  { created, known, problems }: ImportOutcome,
): CommandResult {
  const all = [...found, ...problems]
  const unseen = more + Math.max(all.length - PROBLEMS, 0)
  return {
    text: [
      `Nothing was imported. Of this ${format} file ${formatCount(created, 'item')} would be; ${formatCount(known, 'was', 'were')} imported before. To import, add --yes.`,
      ...(ignored.length > 0 ? [`Left out: ${clip(ignored.map(name => quoteValue(name)).join(', '), 1000)}.`] : []),
      ...(unseen > 0 ? [`${formatCount(unseen, 'more problem is', 'more problems are')} not shown.`] : []),
    ].join('\n'),
    rows: all.slice(0, PROBLEMS).map(toRow),
  }
}

const toRow = ({ line, field, problem }: ImportProblem) => ({ line, field, problem })

/** @throws ToolError invalid_argument */
function pairsIn(text = '', field: 'states' | 'map'): ReadonlyMap<string, string> {
  const pairs = text.split(',').filter(pair => pair.trim() !== '')
  return new Map(
    pairs.map(pair => {
      const [from, to, ...rest] = pair.split('=')
      if (to === undefined || to.trim() === '' || rest.length > 0)
        throw new ToolError('invalid_argument', `${quoteName(pair)} is no pair of names.`, {
          field,
          hint: `Give pairs such as ${field === 'states' ? '"QA=In review"' : '"title=Summary"'}, with commas between them.`,
        })
      return [from!.trim(), to.trim()]
    }),
  )
}

const statesIn = (text: string | undefined): ReadonlyMap<string, string> =>
  new Map([...pairsIn(text, 'states')].map(([from, to]) => [nameKey(from), to]))

/** @throws ToolError not_found for a state that the project does not have */
async function requireStates(ctx: WriteContext, { project, states }: ImportChoice): Promise<void> {
  if (states.size === 0) return
  const { states: known } = await workflowOf(ctx, project, { lock: false })
  const unknown = [...states.values()].find(name => resolveState(known, name) === null)
  if (unknown !== undefined)
    throw new ToolError('not_found', `${project.key} has no state ${quoteName(unknown)}.`, {
      field: 'states',
      allowed: known.map(({ name }) => name),
    })
}

/** @throws ToolError if the file cannot be read */
async function readContent(
  ctx: WriteContext,
  { file: path, format: name, map }: { readonly file: string; readonly format?: string; readonly map?: string },
): Promise<Content> {
  const refusal = (why: string, hint: string): ToolError =>
    new ToolError('invalid_argument', `${basename(path)} ${why}.`, { field: 'file', hint })
  const refuseUnreadable = (error: NodeJS.ErrnoException): never => {
    throw error.code === 'ENOENT'
      ? refusal('is not there', 'Give a path from the folder in which you run this command, or an absolute one.')
      : refusal('cannot be read', 'The user who runs this command must be allowed to read it.')
  }
  const info = await stat(path).catch(refuseUnreadable)
  if (!info.isFile()) throw refusal('is not a file', 'Give the path of a file.')
  if (info.size > MAX_BYTES) throw refusal(`is not a file of at most ${inMegabytes(MAX_BYTES)}`, 'Divide it.')
  const id = [path, info.mtimeMs, info.size, name, map].join('\n')
  return contentOf(id, async () =>
    parseContent(
      ctx,
      { name: basename(path), bytes: await readFile(path).catch(refuseUnreadable) },
      { format: name, columns: pairsIn(map, 'map') },
    ),
  )
}
