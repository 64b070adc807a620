import { ToolError, type ReadContext } from 'tasuki/plugin'
import { compileFilter } from '../../items/index.ts'
import { bareKey, requireProject } from '../../projects/index.ts'
import { countExported, readExported, type ExportFilter, type ExportPlace } from '../exported.repository.ts'
import { exportFormats, type ExportFormatName } from './formats.ts'

/** Items per page, which is one statement and is held in memory. */
const PAGE = 500

export interface ExportChoice {
  /** Key of a project; default: all projects that the caller may see. */
  readonly project?: string | undefined
  /** A query in the filter language; default: all items, including archived ones. */
  readonly filter?: string | undefined
  readonly format: ExportFormatName
  /** Parameter name of the filter, for errors; default filter. */
  readonly field?: string
}

/** Progress of an export. */
export interface ExportPosition {
  readonly after: ExportPlace
  readonly done: number
  readonly total: number
}

/** A part of an export; `next` is absent on the last page. */
export interface ExportedPage {
  readonly text: string
  readonly done: number
  readonly next?: ExportPosition
}

/**
 * Writes one page of the items that the caller may see. Each page reads the items as they are at that time.
 * @throws ToolError not_found, invalid_query; invalid_argument if neither a project nor a filter is given
 */
export async function exportPage(
  ctx: ReadContext,
  choice: ExportChoice,
  position: ExportPosition | null,
): Promise<ExportedPage> {
  const { begin, write, end } = exportFormats[choice.format]
  const project = choice.project === undefined ? null : await requireProject(ctx, choice.project)
  const words = choice.filter?.trim() ?? ''
  if (!project && words === '')
    throw new ToolError('invalid_argument', 'Neither a project nor a filter says what to export.', {
      field: 'project',
      hint: 'Give the key of a project, or a filter such as is:open.',
    })
  const query = words === '' ? null : compileFilter(ctx, words, { field: choice.field ?? 'filter' })
  const filter: ExportFilter = { project, query }
  const total = position?.total ?? (await countExported(ctx, filter))
  const rows = await readExported(ctx, filter, position?.after ?? null, PAGE + 1)
  const page = rows.slice(0, PAGE)
  const title = [project && `${bareKey(project)} – ${project.name}`, words].filter(Boolean).join(': ')
  const isFirst = position === null
  const done = (position?.done ?? 0) + page.length
  const hasMore = rows.length > PAGE
  const text = [
    isFirst ? begin(ctx.all, { title, at: ctx.now.toISOString(), total }) : '',
    ...page.map(({ item }, n) => write(ctx.all, item, isFirst && n === 0)),
    hasMore ? '' : end(),
  ].join('')
  return { text, done, ...(hasMore && { next: { after: page.at(-1)!.place, done, total } }) }
}
