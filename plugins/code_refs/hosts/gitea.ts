import { header, pushed, type CodeHost } from './delivery.ts'
import { pullRequestOf } from './github.ts'
import { signed } from './signature.ts'

/** https://docs.gitea.com/usage/webhooks: `X-Gitea-Signature`, `X-Gitea-Event`, `X-Gitea-Delivery`; Forgejo sends the same. */
export const gitea: CodeHost = {
  authentic: (headers, body, secret) => signed(header(headers, 'x-gitea-signature'), body, secret),
  delivery: headers => header(headers, 'x-gitea-delivery'),
  changes(headers, payload) {
    const event = header(headers, 'x-gitea-event')
    if (event === 'push') return pushed(payload)
    return event?.startsWith('pull_request') ? pullRequestOf(payload) : []
  },
}
