import { pullRequest, readHeader, readObject, readPush, readText, readTexts, repositoryOf } from './delivery.ts'
import type { CodeHost } from './delivery.ts'
import { isSameSecret } from './signature.ts'

const STATES: Readonly<Record<string, string>> = { opened: 'open', locked: 'open' }

/** https://docs.gitlab.com/user/project/integrations/webhooks: `X-Gitlab-Token` contains the secret itself. */
export const gitlab: CodeHost = {
  authentic: (headers, _body, secret) => isSameSecret(readHeader(headers, 'x-gitlab-token'), secret),
  changes(headers, payload) {
    const event = readHeader(headers, 'x-gitlab-event')
    if (event === 'Push Hook' || event === 'Tag Push Hook') return readPush(payload)
    if (event !== 'Merge Request Hook') return []
    const request = readObject(payload['object_attributes'])
    const state = readText(request['state'])
    return pullRequest({
      // Some versions write times as `2026-01-31 12:00:00 UTC`.
      ...readTexts(request, {
        externalId: 'iid',
        title: 'title',
        body: 'description',
        url: 'url',
        occurredAt: 'updated_at',
      }),
      author: readText(readObject(payload['user'])['username']),
      state: state && (STATES[state] ?? state),
      draft: request['draft'] === true || request['work_in_progress'] === true,
      branch: readText(request['source_branch']),
    })
  },
  repository: payload => repositoryOf(payload['project'], 'path_with_namespace'),
}
