import { dataCenterChanges, dataCenterRepository } from './bitbucket-data-center.ts'
import {
  pullRequest,
  readCommit,
  readHeader,
  readList,
  readObject,
  readText,
  readTexts,
  repositoryOf,
} from './delivery.ts'
import type { CodeHost, Json } from './delivery.ts'
import { isSigned } from './signature.ts'

const STATES: Readonly<Record<string, string>> = { OPEN: 'open', MERGED: 'merged' }
const readUrl = (value: Json): string | null => readText(readObject(readObject(value['links'])['html'])['href'])
const readUserName = (value: unknown): string | null =>
  readText(readObject(value)['nickname']) ?? readText(readObject(value)['display_name'])

/**
 * https://support.atlassian.com/bitbucket-cloud/docs/event-payloads: `X-Hub-Signature`, `X-Event-Key`; the self-hosted edition signs the
 * same way.
 */
export const bitbucket: CodeHost = {
  authentic: (headers, body, secret) => isSigned(readHeader(headers, 'x-hub-signature'), body, secret),
  changes(headers, payload) {
    const event = readHeader(headers, 'x-event-key')
    if (event === 'repo:push') return readList(readObject(payload['push'])['changes']).flatMap(readCommits)
    if (!event?.startsWith('pullrequest:')) return dataCenterChanges(event ?? '', payload)
    const request = readObject(payload['pullrequest'])
    const state = readText(request['state'])
    return pullRequest({
      ...readTexts(request, { externalId: 'id', title: 'title', body: 'description' }),
      url: readUrl(request),
      author: readUserName(request['author']),
      // Declined and superseded pull requests are closed.
      state: state && (STATES[state] ?? 'closed'),
      draft: request['draft'] === true,
      branch: readText(readObject(readObject(request['source'])['branch'])['name']),
      occurredAt: readText(request['updated_on']),
    })
  },
  repository: payload => repositoryOf(payload['repository'], 'full_name', 'uuid') ?? dataCenterRepository(payload),
}

function readCommits(change: Json) {
  return readList(change['commits']).flatMap(commit => {
    const author = readObject(commit['author'])
    return readCommit({
      externalId: readText(commit['hash']),
      message: readText(commit['message']),
      url: readUrl(commit),
      // `Ann <ann@example.com>` for authors without an account.
      author:
        readUserName(author['user']) ??
        readText(author['raw'])
          ?.replace(/<[^<>]*>$/, '')
          .trimEnd() ??
        null,
      branch: readText(readObject(change['new'])['name']),
      occurredAt: readText(commit['date']),
    })
  })
}
