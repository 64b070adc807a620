import type { ImportContent, ImportedItem, ImportFormat } from '../points.ts'
import { elementsOf, jsonOf, listOf, present, textOf, type Json } from './json.ts'

const ADDRESS = /github[^/]*\/(?:repos\/)?([^/]+\/([^/]+))\/issues\/(\d+)/

/** Finds the parts of an issue's address, in its beginning, since a long text would take the square of its length. */
const addressIn = ({ html_url: page, url }: Json) => ADDRESS.exec(String(page ?? url).slice(0, 1000))

/** GitHub: `GET /repos/…/issues`, or `gh issue list --json number,title,body,state,labels,comments,…`. */
export const github: ImportFormat = {
  name: 'github',
  matches: file => {
    const [first] = elementsOf(jsonOf(file))
    return Number.isInteger(first?.number) && typeof first?.title === 'string' && addressIn(first) !== null
  },
  read(file): ImportContent {
    const issues = listOf(jsonOf(file)).map((issue, n) => ({ issue, line: n + 1 }))
    const pulls = issues.filter(({ issue }) => issue?.pull_request)
    return {
      items: issues.flatMap(({ issue, line }) => (issue?.pull_request ? [] : [itemOf(issue, line)])),
      problems: pulls.map(({ line }) => ({ line, field: 'pull_request', problem: 'is a pull request, no issue' })),
      ignored: [],
    }
  },
}

function itemOf(issue: Json, line: number): ImportedItem {
  const [, repository = '', name = ''] = addressIn(issue) ?? []
  const prefix = prefixOf(name)
  const labels = elementsOf(issue.labels).flatMap(label => textOf(label?.name ?? label) ?? [])
  const comments = elementsOf(issue.comments).flatMap(comment => {
    const body = textOf(comment?.body)
    return body === undefined ? [] : [{ author: personOf(comment), at: textAt(comment, 'created_at') ?? null, body }]
  })
  const closed = textOf(issue.state)?.toLowerCase() === 'closed'
  const notPlanned = textAt(issue, 'state_reason')?.toLowerCase() === 'not_planned'
  return {
    line,
    key: `${repository}#${issue.number}`,
    title: textOf(issue.title) ?? '',
    closed,
    status: closed ? (notPlanned ? 'not planned' : 'closed') : 'open',
    ...present({
      detail: textOf(issue.body),
      createdAt: textAt(issue, 'created_at'),
      completedAt: textAt(issue, 'closed_at'),
      author: personOf(issue) ?? undefined,
      assignee: textOf(issue.assignees?.[0]?.login),
      dueDate: textAt(issue.milestone, 'due_on')?.slice(0, 10),
    }),
    parts: {
      ...(labels.length > 0 && { labels }),
      ...(comments.length > 0 && { comments }),
      ...(prefix !== '' && { numbers: [{ prefix, number: issue.number }] }),
    },
  }
}

/** Reads a text by its name in the API; `gh` writes the same names in camel case. */
const textAt = (record: Json, name: string): string | undefined =>
  textOf(record?.[name] ?? record?.[name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())])

/** Makes a prefix of item numbers from the name of a repository. */
const prefixOf = (name: string): string =>
  name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]/g, '_')
    .replace(/^[^A-Z]+/, '')
    .slice(0, 16)

const personOf = ({ user, author }: Json): string | null => textOf((user ?? author)?.login) ?? null
