import { pullRequest, readHeader, readObject, readPush, readText, readTexts, repositoryOf } from './delivery.ts'
import type { CodeHost, Json } from './delivery.ts'
import { isSigned } from './signature.ts'

/** https://docs.github.com/webhooks: `X-Hub-Signature-256`, `X-GitHub-Event`. */
export const github: CodeHost = {
  authentic: (headers, body, secret) => isSigned(readHeader(headers, 'x-hub-signature-256'), body, secret),
  changes(headers, payload) {
    const event = readHeader(headers, 'x-github-event')
    if (event === 'push') return readPush(payload)
    return event === 'pull_request' ? pullRequestOf(payload) : []
  },
  repository: payload => repositoryOf(payload['repository'], 'full_name'),
}

/** Reads a pull request of GitHub or Gitea, which describe them in the same way. */
export function pullRequestOf(payload: Json) {
  const request = readObject(payload['pull_request'])
  return pullRequest({
    ...readTexts(request, {
      externalId: 'number',
      title: 'title',
      body: 'body',
      url: 'html_url',
      occurredAt: 'updated_at',
    }),
    author: readText(readObject(request['user'])['login']),
    state: request['merged'] === true ? 'merged' : readText(request['state']),
    draft: request['draft'] === true,
    branch: readText(readObject(request['head'])['ref']),
  })
}
