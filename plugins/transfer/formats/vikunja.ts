import type { ImportContent, ImportedItem, ImportFile, ImportFormat, ImportProblem } from '../points.ts'
import { numberOf } from './csv.ts'
import { markdownOf } from './html.ts'
import { elementsOf, jsonOf, present, textOf, type Json } from './json.ts'

const PRIORITIES = [undefined, 'low', 'normal', 'high', 'urgent', 'urgent'] as const
/** The supported kinds of relations with the types of items, and whether they lead from the task to the other. */
const RELATIONS = new Map<string, readonly [type: string, outgoing: boolean]>([
  ['related', ['reference', true]],
  ['duplicateof', ['duplicate', true]],
  ['duplicates', ['duplicate', false]],
  ['copiedfrom', ['generated_from', true]],
  ['copiedto', ['generated_from', false]],
  ['blocking', ['reference', true]],
  ['blocked', ['reference', false]],
  ['precedes', ['reference', true]],
  ['follows', ['reference', false]],
])

function dataOf(file: ImportFile): Json {
  const entry = file.entries?.find(({ name }) => name === 'data.json')
  return entry ? jsonOf(entry) : file.entries ? undefined : jsonOf(file)
}

/** Vikunja: Settings, Export your data; the archive, or its data.json. */
export const vikunja: ImportFormat = {
  name: 'vikunja',
  matches: file => {
    const [first] = elementsOf(dataOf(file))
    return typeof first?.title === 'string' && Array.isArray(first.tasks) && first.identifier !== undefined
  },
  read(file): ImportContent {
    const projects = elementsOf(dataOf(file)).flatMap(withChildren)
    const problems: ImportProblem[] = []
    let line = 0
    const items = projects.flatMap(({ project, path }) =>
      elementsOf(project.tasks).map(task => itemOf(task ?? {}, { line: ++line, project, path }, problems)),
    )
    const inProjects = projects.length > 1
    return {
      items: inProjects ? items : items.map(({ parts: { area: _area, ...parts }, ...item }) => ({ ...item, parts })),
      problems,
      ignored: ['assignees but the first', 'reminders'],
    }
  },
}

interface Place {
  readonly project: Json
  readonly path: string
}

/** Older exports nest projects. */
function withChildren(project: Json): Place[] {
  const path = (textOf(project?.title) ?? '').replaceAll('/', '-')
  return [
    { project: project ?? {}, path },
    ...elementsOf(project?.child_projects).flatMap(child =>
      withChildren(child).map(each => ({ ...each, path: `${path}/${each.path}` })),
    ),
  ]
}

function itemOf(
  task: Json,
  { line, project, path }: Place & { readonly line: number },
  problems: ImportProblem[],
): ImportedItem {
  const note = (field: string, problem: string): void => void problems.push({ line, field, problem })
  const rule = ruleOf(task)
  if (rule !== null && task.repeat_mode === FROM_COMPLETION)
    note('recurrence', `repeats (${rule}) from its completion: a template repeats it by the calendar`)
  if (elementsOf(task.attachments).length > 0) note('attachments', 'has files, which are left out')
  const bucket = elementsOf(project.buckets).find(({ id }) => id === task.bucket_id)
  const labels = elementsOf(task.labels).flatMap(label => textOf(label?.title) ?? [])
  const comments = elementsOf(task.comments).flatMap(commentOf)
  const related: readonly [string, readonly Json[]][] = Object.entries(task.related_tasks ?? {}).map(([kind, list]) => [
    kind,
    elementsOf(list),
  ])
  const relations = related.flatMap(([kind, list]) => {
    const [type, outgoing] = RELATIONS.get(kind) ?? []
    return type === undefined ? [] : list.map(({ id }) => ({ type, outgoing: outgoing!, key: String(id) }))
  })
  const parent = related.find(([kind]) => kind === 'parenttask')?.[1][0]?.id
  const prefix = textOf(project.identifier)
  return {
    line,
    key: String(task.id ?? `line ${line}`),
    title: textOf(task.title) ?? '',
    closed: task.done === true,
    ...present({
      detail: textOf(task.description) && markdownOf(task.description),
      status: textOf(bucket?.title),
      priority: PRIORITIES[Number(task.priority)],
      dueDate: instantOf(task.due_date),
      startDate: instantOf(task.start_date),
      createdAt: instantOf(task.created),
      completedAt: instantOf(task.done_at),
      author: personOf(task.created_by),
      assignee: personOf(task.assignees?.[0]),
      parent: parent === undefined ? undefined : String(parent),
    }),
    parts: {
      area: path,
      ...(labels.length > 0 && { labels }),
      ...(comments.length > 0 && { comments }),
      ...(relations.length > 0 && { relations }),
      ...(rule !== null && { recurrence: { rule } }),
      ...(prefix !== undefined && numberOf(`${prefix}-${task.index}`)),
    },
  }
}

const commentOf = (comment: Json) =>
  textOf(comment?.comment) === undefined
    ? []
    : {
        author: personOf(comment.author) ?? null,
        at: instantOf(comment.created) ?? null,
        body: markdownOf(comment.comment),
      }
const personOf = (person: Json): string | undefined => textOf(person?.name) ?? textOf(person?.username)

const [MONTHLY, FROM_COMPLETION] = [1, 2]
const UNITS = [
  ['WEEKLY', 604_800],
  ['DAILY', 86_400],
  ['HOURLY', 3600],
] as const

/** Returns the repetition of a task as a rule, or in seconds if no rule says it; null = none. */
function ruleOf({ repeat_after: after, repeat_mode: mode }: Json): string | null {
  if (mode === MONTHLY) return 'FREQ=MONTHLY'
  const seconds = Number(after)
  if (!(seconds > 0)) return null
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? []
  if (unit === undefined) return `every ${seconds} seconds`
  return `FREQ=${unit}${seconds === length ? '' : `;INTERVAL=${seconds / length}`}`
}

/** Go writes an empty time as the first day of the year 1. */
const instantOf = (value: Json): string | undefined => {
  const text = textOf(value)
  return text === undefined || text.startsWith('0001-') ? undefined : text
}
