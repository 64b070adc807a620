import { pullRequest, readCommit, readList, readObject, readText, readTexts } from './delivery.ts'
import type { CodeChange, CodeRepository, Json } from './delivery.ts'

const STATES: Readonly<Record<string, string>> = { OPEN: 'open', MERGED: 'merged' }

/** The self-hosted edition sends times in milliseconds. */
function timeOf(value: unknown): string | null {
  const time = new Date(typeof value === 'number' ? value : Number.NaN)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

const readUserName = (value: unknown): string | null =>
  readText(readObject(value)['name']) ?? readText(readObject(value)['displayName'])
const readUrl = (value: Json): string | null => readText(readList(readObject(value['links'])['self'])[0]?.['href'])
const branchOf = (ref: unknown): string | null => readText(readObject(ref)['displayId'])

/**
 * Reads webhooks of self-hosted Bitbucket, whose events and payloads differ from the cloud's
 * (https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html): `repo:refs_changed`, `pr:opened` and similar.
 */
export function dataCenterChanges(event: string, payload: Json): readonly CodeChange[] {
  if (event === 'repo:refs_changed') return readCommits(payload)
  if (!event.startsWith('pr:')) return []
  const request = readObject(payload['pullRequest'])
  const state = readText(request['state'])
  return pullRequest({
    ...readTexts(request, { externalId: 'id', title: 'title', body: 'description' }),
    url: readUrl(request) ?? addressIn(targetOf(payload), `pull-requests/${readText(request['id'])}`),
    author: readUserName(readObject(request['author'])['user']),
    state: event === 'pr:deleted' ? 'closed' : state && (STATES[state] ?? 'closed'),
    draft: request['draft'] === true,
    branch: branchOf(request['fromRef']),
    occurredAt: timeOf(request['updatedDate'] ?? request['createdDate']),
  })
}

export function dataCenterRepository(payload: Json): CodeRepository | null {
  const repository = targetOf(payload)
  const [project, slug] = [readText(readObject(repository['project'])['key']), readText(repository['slug'])]
  return project && slug ? { id: readText(repository['id']), name: `${project}/${slug}` } : null
}

/** Returns the repository of a push, or the target repository of a pull request. */
function targetOf(payload: Json): Json {
  const own = readObject(payload['repository'])
  return own['slug'] === undefined
    ? readObject(readObject(readObject(payload['pullRequest'])['toRef'])['repository'])
    : own
}

/** The repository's links contain its URL; without them only its name is known. */
function addressIn(repository: Json, path: string): string | null {
  const base = readUrl(repository)?.replace(/\/browse\/?$/, '')
  const [project, slug] = [readText(readObject(repository['project'])['key']), readText(repository['slug'])]
  if (base) return `${base}/${path}`
  return project && slug ? `projects/${project}/repos/${slug}/${path}` : null
}

/** Payloads contain commits since 7.x; the branch is that of the first change. */
function readCommits(payload: Json): readonly CodeChange[] {
  const repository = targetOf(payload)
  const branch = branchOf(readList(payload['changes'])[0]?.['ref'])
  const commits = readList(payload['commits'])
  return (commits.length > 0 ? commits : [readObject(payload['toCommit'])]).flatMap(commit => {
    const id = readText(commit['id'])
    return readCommit({
      externalId: id,
      message: readText(commit['message']),
      url: id && addressIn(repository, `commits/${id}`),
      author: readUserName(commit['author']),
      branch,
      occurredAt: timeOf(commit['committerTimestamp'] ?? commit['authorTimestamp']),
    })
  })
}
