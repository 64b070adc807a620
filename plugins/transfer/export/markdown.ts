import { formatCount } from 'tasuki/plugin'
import { exportParts } from '../points.ts'
import type { ExportedItem } from '../exported.repository.ts'
import type { ExportFormat } from './format.ts'
import { readable } from './texts.ts'

/** For people: per item a heading, its fields as a list, its body, and sections. */
export const markdownFormat: ExportFormat = {
  extension: 'md',
  mediaType: 'text/markdown; charset=utf-8',
  begin: (_all, { title, at, total }) =>
    `# ${oneLine(title)}\n\n${formatCount(total, 'item')}, exported ${readable(at)}.\n`,
  write(all, item) {
    const parts = all(exportParts.point).flatMap(({ of, markdown }) => {
      const value = item.parts[of]
      return value === undefined ? [] : [{ ...markdown, text: markdown.write(value) }]
    })
    const facts = [
      ...factsOf(item),
      ...parts.flatMap(({ as, title, text }) => (as === 'fact' ? [[title, text] as const] : [])),
    ].map(([title, text]) => `- **${title}:** ${oneLine(text)}`)
    const sections = parts.flatMap(({ as, title, text }) => (as === 'section' ? [`### ${title}\n\n${text}`] : []))
    const body = item.detail.trim() === '' ? [] : [lowerHeadings(item.detail.trim())]
    return `\n${[`## ${item.ref} ${oneLine(item.title)}`, facts.join('\n'), ...body, ...sections].join('\n\n')}\n`
  },
  end: () => '',
}

function factsOf(item: ExportedItem): readonly (readonly [string, string])[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Type', item.type === 'task' ? undefined : item.type.replaceAll('_', ' ')],
    ['State', item.type === 'note' ? undefined : item.status],
    ['Kind', item.kind === 'task' ? undefined : item.kind],
    ['Priority', item.priority],
    ['Due', item.due_date && [item.due_date, item.due_time].filter(Boolean).join(' ')],
    ['Start', item.start_date],
    ['Part of', item.parent?.ref],
    ['Made', readable(item.created_at)],
    ['Completed', item.completed_at && readable(item.completed_at)],
    ['Archived', item.archived_at && readable(item.archived_at)],
  ]
  return facts.flatMap(([title, text]) => (text === undefined ? [] : [[title, text] as const]))
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Lowers headings of a body below that of its item, which has level 2; code stays unchanged. */
function lowerHeadings(text: string): string {
  let fence: string | null = null
  return text
    .split('\n')
    .map(line => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
      if (mark !== undefined && (fence === null || mark.startsWith(fence))) fence = fence === null ? mark : null
      const heading = fence === null && mark === undefined ? /^ {0,3}(#{1,6})(?=\s)/.exec(line) : null
      return heading ? `${'#'.repeat(Math.min(heading[1]!.length + 2, 6))}${line.slice(heading[0].length)}` : line
    })
    .join('\n')
}
