import { dataCenterChanges, dataCenterRepository } from './bitbucket-data-center.ts'
import { header, list, object, pullRequest, readCommit, repositoryOf, text, texts } from './delivery.ts'
import type { CodeHost, Json } from './delivery.ts'
import { isSigned } from './signature.ts'

const STATES: Readonly<Record<string, string>> = { OPEN: 'open', MERGED: 'merged' }
const address = (value: Json): string | null => text(object(object(value['links'])['html'])['href'])
const person = (value: unknown): string | null => text(object(value)['nickname']) ?? text(object(value)['display_name'])

/**
 * https://support.atlassian.com/bitbucket-cloud/docs/event-payloads: `X-Hub-Signature`, `X-Event-Key`; the self-hosted edition signs the
 * same way.
 */
export const bitbucket: CodeHost = {
  authentic: (headers, body, secret) => isSigned(header(headers, 'x-hub-signature'), body, secret),
  changes(headers, payload) {
    const event = header(headers, 'x-event-key')
    if (event === 'repo:push') return list(object(payload['push'])['changes']).flatMap(readCommits)
    if (!event?.startsWith('pullrequest:')) return dataCenterChanges(event ?? '', payload)
    const request = object(payload['pullrequest'])
    const state = text(request['state'])
    return pullRequest({
      ...texts(request, { externalId: 'id', title: 'title', body: 'description' }),
      url: address(request),
      author: person(request['author']),
      // Declined and superseded pull requests are closed.
      state: state && (STATES[state] ?? 'closed'),
      draft: request['draft'] === true,
      branch: text(object(object(request['source'])['branch'])['name']),
      occurredAt: text(request['updated_on']),
    })
  },
  repository: payload => repositoryOf(payload['repository'], 'full_name', 'uuid') ?? dataCenterRepository(payload),
}

function readCommits(change: Json) {
  return list(change['commits']).flatMap(commit => {
    const author = object(commit['author'])
    return readCommit({
      externalId: text(commit['hash']),
      message: text(commit['message']),
      url: address(commit),
      // `Ann <ann@example.com>` for authors without an account.
      author: person(author['user']) ?? text(author['raw'])?.replace(/\s*<[^>]*>$/, '') ?? null,
      branch: text(object(change['new'])['name']),
      occurredAt: text(commit['date']),
    })
  })
}
