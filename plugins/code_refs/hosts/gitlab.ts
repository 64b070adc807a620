import { header, object, pullRequest, pushed, text, type CodeHost } from './delivery.ts'
import { sameSecret } from './signature.ts'

/** https://docs.gitlab.com/user/project/integrations/webhooks: the secret itself in `X-Gitlab-Token`. */
export const gitlab: CodeHost = {
  authentic: (headers, _body, secret) => sameSecret(header(headers, 'x-gitlab-token'), secret),
  delivery: headers => header(headers, 'idempotency-key') ?? header(headers, 'x-gitlab-event-uuid'),
  changes(headers, payload) {
    const event = header(headers, 'x-gitlab-event')
    if (event === 'Push Hook' || event === 'Tag Push Hook') return pushed(payload)
    if (event !== 'Merge Request Hook') return []
    const request = object(payload['object_attributes'])
    const state = text(request['state'])
    return pullRequest({
      externalId: text(request['iid']),
      title: text(request['title']),
      body: text(request['description']),
      url: text(request['url']),
      author: text(object(payload['user'])['username']),
      state: state === 'opened' ? 'open' : state,
      branch: text(request['source_branch']),
      occurredAt: instant(text(request['updated_at'])),
    })
  },
}

/** GitLab writes instants as `2026-01-31 12:00:00 UTC` in some versions. */
function instant(value: string | null): string | null {
  const date = value === null ? Number.NaN : Date.parse(value)
  return Number.isNaN(date) ? null : new Date(date).toISOString()
}
