import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An issue of a public Jira project. */
export interface Issue {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly points: number
  readonly split: 'train' | 'val' | 'test'
}

export type IssueFile = 'mesos' | 'jirasoftware' | 'moodle'

/** Folder of the real data; null if this machine does not have it. */
export const DATA_FOLDER = process.env['TEST_DATA_DIR'] || null

export function readIssues(file: IssueFile): Issue[] {
  if (DATA_FOLDER === null) throw new Error('TEST_DATA_DIR is not set')
  const text = readFileSync(join(DATA_FOLDER, 'issues', `${file}.csv`), 'utf8')
  const rows = parse(text, { columns: true, bom: true }) as Record<string, string>[]
  return rows.map(row => ({
    key: row['issuekey']!,
    title: row['title']!,
    description: row['description']!,
    points: Number(row['storypoint']),
    split: row['split_mark'] as Issue['split'],
  }))
}

// oxlint-disable-next-line typescript/no-explicit-any -- results of any tool
export type CallTool = (name: string, args: object) => Promise<any>

const PRIORITIES = { test: 'urgent', val: 'high', train: 'normal' } as const

const kindOf = ({ points }: Issue): string => (points >= 8 ? 'epic' : points >= 5 ? 'story' : 'task')
/** The key comes first, so that a search for it ranks the issue above issues that mention it. */
const detailOf = ({ key, description }: Issue): string => `${key}\n\n${description}`

/** Creates the issues as items, with limited concurrency. */
export async function loadIssues(
  call: CallTool,
  project: string,
  issues: readonly Issue[],
  parallel = 1,
): Promise<void> {
  const left = issues.toReversed()
  const worker = async (): Promise<void> => {
    for (let issue = left.pop(); issue; issue = left.pop()) {
      const { item } = await call('items_create', {
        project_key: project,
        title: issue.title,
        detail: detailOf(issue),
        kind: kindOf(issue),
        priority: PRIORITIES[issue.split],
        labels: [issue.split],
      })
      assert.equal(item.title, issue.title)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

/** Compares listings, filters, facets and searches of a project with the issues. */
export async function checkIssues(call: CallTool, project: string, issues: readonly Issue[]): Promise<void> {
  await checkListing(call, project, issues)
  await checkFilters(call, project, issues)
  await checkFacets(call, project, issues)
  await checkSearch(call, project, issues)
}

/** Checks that paging returns every item once, with exactly the text that was sent. */
async function checkListing(call: CallTool, project: string, issues: readonly Issue[]): Promise<void> {
  const titles = new Map<string, string>()
  for (let offset: number | null = 0; offset !== null;) {
    const args = { project_key: project, sort: 'created', order: 'asc', limit: 100, offset, include_total: true }
    const page = await call('tasks_list', args)
    assert.equal(page.total, issues.length)
    for (const { ref, title } of page.items) {
      assert.ok(!titles.has(ref), `${ref} is listed twice`)
      titles.set(ref, title)
    }
    assert.equal(page.has_more, page.next_offset !== null)
    offset = page.next_offset
  }
  assert.deepEqual([...titles.values()].sort(), issues.map(issue => issue.title).sort())

  const longest = issues.toSorted((a, b) => b.description.length - a.description.length)[0]!
  const [found] = await refsOf(call, project, longest.key)
  const { item } = await call('items_get', { item_ref: found })
  assert.deepEqual([item.title, item.detail], [longest.title, detailOf(longest)])
}

async function checkFilters(call: CallTool, project: string, issues: readonly Issue[]): Promise<void> {
  const word = 'executor'
  const queries: readonly (readonly [string, (issue: Issue) => boolean])[] = [
    ['kind:epic', issue => kindOf(issue) === 'epic'],
    ['priority:>=high', issue => issue.split !== 'train'],
    ['label:val OR kind:story', issue => issue.split === 'val' || kindOf(issue) === 'story'],
    ['-label:train kind:task', issue => issue.split !== 'train' && kindOf(issue) === 'task'],
    [`title:${word}`, issue => issue.title.toLowerCase().includes(word)],
    [`title:${word} OR detail:${word}`, issue => `${issue.title}\n${detailOf(issue)}`.toLowerCase().includes(word)],
    ['is:closed', () => false],
  ]
  for (const [q, matches] of queries) {
    const { total } = await call('tasks_list', { project_key: project, q, limit: 1, include_total: true })
    assert.equal(total, issues.filter(matches).length, q)
  }
}

async function checkFacets(call: CallTool, project: string, issues: readonly Issue[]): Promise<void> {
  const facets: readonly (readonly [string, (issue: Issue) => string])[] = [
    ['priority', issue => PRIORITIES[issue.split]],
    ['agile_kind', kindOf],
    ['project', () => project],
    ['schedule_kind', () => 'anytime'],
  ]
  for (const [facet, valueOf] of facets) {
    const { facets: counts, total } = await call('items_facet', { facet_by: facet, project_key: project })
    assert.equal(total, issues.length)
    const expected = Map.groupBy(issues, valueOf)
    assert.deepEqual(
      Object.fromEntries(counts.map(({ value, count }: { value: string; count: number }) => [value, count])),
      Object.fromEntries([...expected].map(([value, of]) => [value, of.length])),
      facet,
    )
  }
}

/** Checks that a search for a key finds its issue, and that a pattern finds as many items as in the file. */
async function checkSearch(call: CallTool, project: string, issues: readonly Issue[]): Promise<void> {
  for (const issue of issues) {
    const found = await grep(call, project, { pattern: `${issue.key}\n`, fields: ['detail'] })
    assert.ok(
      found.some(({ title }) => title === issue.title),
      `${issue.key} is not found`,
    )
  }
  for (const pattern of ['(slave|agent)s?\\b', '[A-Z]{3,}-\\d+', '^As an? ']) {
    // The flag `m` makes ^ and $ match at lines, as in items_grep.
    const expression = new RegExp(pattern, 'imu')
    const matching = issues.filter(issue => expression.test(issue.title) || expression.test(detailOf(issue)))
    const found = await grep(call, project, { pattern, regex: true, ignore_case: true, fields: ['title', 'detail'] })
    assert.equal(found.length, matching.length, pattern)
  }
}

async function refsOf(call: CallTool, project: string, key: string): Promise<string[]> {
  return (await grep(call, project, { pattern: `${key}\n\n`, fields: ['detail'] })).map(({ ref }) => ref)
}

async function grep(call: CallTool, project: string, args: object): Promise<{ ref: string; title: string }[]> {
  const found = []
  for (let cursor: string | null = null; ;) {
    const page = await call('items_grep', {
      ...args,
      filters: `project:${project}`,
      count_only: true,
      limit_items: 200,
      ...(cursor !== null && { cursor }),
    })
    found.push(...page.items)
    if (!page.has_more) return found
    cursor = page.next_cursor
  }
}
