import { defineAuditAction } from 'tasuki/plugin'

const words = { project: { en: 'Project', ja: 'プロジェクト' }, host: { en: 'Host', ja: 'ホスト' } }

export const repositoryLinked = defineAuditAction({
  name: 'repository.linked',
  title: { en: 'Repository linked', ja: 'リポジトリを連携' },
  words,
})
export const repositoryUnlinked = defineAuditAction({
  name: 'repository.unlinked',
  title: { en: 'Repository unlinked', ja: 'リポジトリの連携を解除' },
  words,
})
