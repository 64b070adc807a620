import type { ImportContent, ImportedItem, ImportFormat } from '../points.ts'
import { elementsOf, jsonOf, present, textOf, type Json } from './json.ts'

/** Trello: board menu, Print, export and share, JSON. Comments are in the actions of the board. */
export const trello: ImportFormat = {
  name: 'trello',
  matches: file => {
    const board = jsonOf(file)
    return Array.isArray(board?.cards) && Array.isArray(board?.lists)
  },
  read(file): ImportContent {
    const board = jsonOf(file)
    const lists = new Map(elementsOf(board?.lists).map(list => [list?.id, list]))
    const comments = Map.groupBy(
      elementsOf(board?.actions).filter(action => action?.type === 'commentCard'),
      action => action.data?.card?.id,
    )
    const checklists = Map.groupBy(elementsOf(board?.checklists), list => list?.idCard)
    const items = elementsOf(board?.cards).flatMap((card, n): ImportedItem[] =>
      card
        ? [itemOf(card, n + 1, lists.get(card.idList), comments.get(card.id) ?? [], checklists.get(card.id) ?? [])]
        : [],
    )
    return { items, problems: [], ignored: [] }
  },
}

function itemOf(
  card: Json,
  line: number,
  list: Json,
  comments: readonly Json[],
  checklists: readonly Json[],
): ImportedItem {
  const labels = elementsOf(card.labels).flatMap(label => textOf(label?.name) ?? textOf(label?.color) ?? [])
  const steps = checklists
    .flatMap(checklist => elementsOf(checklist?.checkItems))
    .toSorted((a, b) => Number(a?.pos) - Number(b?.pos))
    .flatMap(step => (textOf(step?.name) ? [{ content: step.name as string, done: step.state === 'complete' }] : []))
  const cardComments = comments.toReversed().flatMap(({ data, date, memberCreator: by }) => {
    const body = textOf(data?.text)
    if (body === undefined) return []
    return [{ author: textOf(by?.fullName ?? by?.username) ?? null, at: textOf(date) ?? null, body }]
  })
  const links = elementsOf(card.attachments).flatMap(file =>
    textOf(file?.url) ? [`- [${textOf(file.name) ?? file.url}](${file.url})`] : [],
  )
  return {
    line,
    key: textOf(card.id) ?? '',
    title: textOf(card.name) ?? '',
    detail: [textOf(card.desc), links.join('\n')].filter(Boolean).join('\n\n'),
    ...present({
      status: textOf(list?.name),
      dueDate: textOf(card.due),
      startDate: textOf(card.start),
      // The first eight digits of an id are the creation time in seconds.
      createdAt: /^[0-9a-f]{24}$/.test(card.id)
        ? new Date(parseInt(card.id.slice(0, 8), 16) * 1000).toISOString()
        : undefined,
      closed: card.dueComplete === true ? true : undefined,
      // Closed cards, and cards of closed lists, are archived.
      archivedAt: card.closed || list?.closed ? (textOf(card.dateLastActivity) ?? '') : undefined,
    }),
    parts: {
      ...(labels.length > 0 && { labels }),
      ...(cardComments.length > 0 && { comments: cardComments }),
      ...(steps.length > 0 && { checklist: steps }),
    },
  }
}
