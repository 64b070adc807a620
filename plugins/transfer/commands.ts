import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  clip,
  defineCommand,
  nameKey,
  quoteName,
  ToolError,
  Type,
  type CommandResult,
  type WriteContext,
} from 'tasuki/plugin'
import { ownerOption, requireProject } from '../projects/index.ts'
import { imported } from './audit.ts'
import { decodeText } from './decode.ts'
import { importItems, inOrder, planImport, type ImportChoice, type ImportOutcome } from './import.ts'
import { isZip, unzip } from './unzip.ts'
import { importFormats, type ImportedItem, type ImportFile, type ImportProblem } from './points.ts'

/** Items of one transaction: more would hold others up for longer, fewer would cost more statements. */
const SET = 500
const MOST_BYTES = 50 * 1024 * 1024
/** Problems that are printed. */
const SHOWN = 200

/** How far an import is, which the command line passes on from set to set. */
interface Position {
  readonly from: number
  readonly created: number
  readonly known: number
  readonly problems: readonly ImportProblem[]
  readonly more: number
  /** Of the file: it must stay the same. */
  readonly digest: string
}

interface Content {
  readonly digest: string
  readonly format: string
  readonly items: readonly ImportedItem[]
  readonly problems: readonly ImportProblem[]
  readonly ignored: readonly string[]
}

/** The file that was read last: an import comes back to it with every set. */
let last: { readonly id: string; readonly content: Content } | undefined

const Args = Type.Object({
  file: Type.String({ minLength: 1, description: 'The file: CSV, JSON or ZIP.' }),
  project: Type.String({ minLength: 1, maxLength: 300, description: 'Key of the project.' }),
  format: Type.Optional(Type.String({ description: 'Its format; found out where it is left out.' })),
  map: Type.Optional(Type.String({ description: 'Columns of a table: "title=Summary,due=Due".' })),
  states: Type.Optional(Type.String({ description: 'States of the file as yours: "QA=In review,Icebox=Backlog".' })),
  yes: Type.Optional(Type.Boolean({ description: 'Import; without it, only say what would be imported.' })),
  user: ownerOption,
})

export const importFile = defineCommand({
  name: 'import file',
  summary: 'Import items of other programs into a project. Without --yes, only show what would happen.',
  args: Args,
  positional: ['file', 'project'],
  files: ['file'],
  forUser: true,
  reads: ({ yes }) => yes !== true,
  async run(ctx, args): Promise<CommandResult> {
    const { position } = args as { readonly position?: Position }
    const project = await requireProject(ctx, args.project, { write: true })
    const content = await readContent(ctx, args)
    const { format, items } = content
    const choice = { project, format, from: basename(args.file), states: statesIn(args.states) }
    if (!args.yes) return dryRun(content, await planImport(ctx, items, choice))
    if (position && position.digest !== content.digest)
      throw new ToolError('conflict', 'The file changed while it was imported.', {
        field: 'file',
        hint: 'Run the same command again: what was imported is not imported twice.',
      })
    return importSet(ctx, args, choice, content, position ?? begin(content))
  },
})

const begin = ({ digest, problems }: Content): Position => ({
  from: 0,
  created: 0,
  known: 0,
  problems: problems.slice(0, SHOWN),
  more: Math.max(problems.length - SHOWN, 0),
  digest,
})

async function importSet(
  ctx: WriteContext,
  args: Readonly<Record<string, unknown>>,
  choice: ImportChoice,
  { items, format }: Content,
  before: Position,
): Promise<CommandResult> {
  const to = Math.min(before.from + SET, items.length)
  const outcome = await importItems(ctx, items.slice(before.from, to), choice)
  const position = advance(before, to, outcome)
  const { created, known, problems, more } = position
  if (to < items.length) return { next: { args: { ...args, position }, done: to, total: items.length } }
  last = undefined
  ctx.audit({
    action: imported,
    target: { kind: 'project', id: choice.project.id, name: choice.project.key },
    details: { format, file: clip(choice.from, 200), created, known, problems: problems.length + more },
  })
  const text = `Imported ${created} items into ${choice.project.key}; ${known} were there already.`
  return { text: more > 0 ? `${text} ${more} more problems are not shown.` : text, rows: problems.map(toRow) }
}

function advance(before: Position, from: number, { created, known, problems }: ImportOutcome): Position {
  const all = [...before.problems, ...problems]
  return {
    ...before,
    from,
    created: before.created + created,
    known: before.known + known,
    problems: all.slice(0, SHOWN),
    more: before.more + Math.max(all.length - SHOWN, 0),
  }
}

function dryRun(
  { format, ignored, problems: found }: Content,
  { created, known, problems }: ImportOutcome,
): CommandResult {
  const all = [...found, ...problems]
  return {
    text: [
      `Nothing was imported. Of this ${format} file ${created} items would be; ${known} were imported before. To import, add --yes.`,
      ...(ignored.length > 0 ? [`Left out: ${clip(ignored.join(', '), 1000)}.`] : []),
      ...(all.length > SHOWN ? [`${all.length - SHOWN} more problems are not shown.`] : []),
    ].join('\n'),
    rows: all.slice(0, SHOWN).map(toRow),
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

/** @throws ToolError where the file cannot be read */
async function readContent(
  ctx: WriteContext,
  { file: path, format: name, map }: { readonly file: string; readonly format?: string; readonly map?: string },
): Promise<Content> {
  const info = await stat(path).catch(() => null)
  if (!info?.isFile() || info.size > MOST_BYTES)
    throw new ToolError('invalid_argument', `${basename(path)} is not a file of at most ${MOST_BYTES} bytes.`, {
      field: 'file',
      hint: 'Give a path that the service can read, or divide the file.',
    })
  const id = [path, info.mtimeMs, info.size, name, map].join('\n')
  if (last?.id === id) return last.content
  const bytes = await readFile(path)
  const file: ImportFile = isZip(bytes)
    ? {
        name: basename(path),
        text: '',
        entries: unzip(bytes).map(entry => ({ name: entry.name, text: decodeText(entry.bytes) })),
      }
    : { name: basename(path), text: decodeText(bytes) }
  const formats = ctx.all(importFormats)
  const format =
    name === undefined ? formats.find(each => each.matches(file)) : formats.find(each => each.name === nameKey(name))
  if (!format)
    throw new ToolError(
      'invalid_argument',
      name === undefined ? 'The format of the file is unknown.' : `There is no format ${name}.`,
      {
        field: 'format',
        allowed: formats.map(each => each.name),
        hint: 'Name the format that it has; a CSV file needs a header with a title.',
      },
    )
  const { items, problems, ignored } = format.read(file, { all: ctx.all, columns: pairsIn(map, 'map') })
  const found = [...problems]
  const ordered = inOrder(items.map(cleanKey), found)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const content = { digest, format: format.name, items: ordered, problems: found, ignored }
  last = { id, content }
  return content
}

/** Keys are kept and compared: bounded, and without what no database keeps. */
function cleanKey(item: ImportedItem): ImportedItem {
  const clean = (key: string): string =>
    key.length <= 300 && key.isWellFormed() && !key.includes('\0')
      ? key
      : createHash('sha256').update(key).digest('hex')
  return { ...item, key: clean(item.key), ...(item.parent !== undefined && { parent: clean(item.parent) }) }
}
