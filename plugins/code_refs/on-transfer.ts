import { exportParts, listSection } from '../transfer/points.ts'
import { codeText } from './reference.repository.ts'

declare module '../transfer/points.ts' {
  interface ImportedParts {
    /** Commits, pull requests and URLs. */
    readonly code_references: readonly {
      readonly kind: 'commit' | 'pull_request' | 'url'
      readonly title?: string
      readonly url: string
      readonly state?: string
      readonly occurred_at: string
    }[]
  }
}

export const exportCode = exportParts({
  of: 'code_references',
  sql: ctx => codeText(ctx),
  markdown: listSection<'code_references'>('Code', ({ kind, title, url, state }) => {
    const what = [kind.replaceAll('_', ' '), state].filter(text => text !== undefined).join(', ')
    return `[${(title ?? url).replaceAll(/[\s[\]]+/g, ' ').trim()}](${url}) (${what})`
  }),
})
