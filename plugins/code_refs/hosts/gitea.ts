import { readHeader, readPush, repositoryOf, type CodeHost } from './delivery.ts'
import { pullRequestOf } from './github.ts'
import { isSigned } from './signature.ts'

/** https://docs.gitea.com/usage/webhooks: `X-Gitea-Signature`, `X-Gitea-Event`; Forgejo sends the same. */
export const gitea: CodeHost = {
  authentic: (headers, body, secret) => isSigned(readHeader(headers, 'x-gitea-signature'), body, secret),
  changes(headers, payload) {
    const event = readHeader(headers, 'x-gitea-event')
    if (event === 'push') return readPush(payload)
    return event?.startsWith('pull_request') ? pullRequestOf(payload) : []
  },
  repository: payload => repositoryOf(payload['repository'], 'full_name'),
}
