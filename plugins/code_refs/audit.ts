import { defineAuditAction } from 'tasuki/plugin'

export const repositoryLinked = defineAuditAction({
  name: 'repository.linked',
  title: { en: 'Repository linked', ja: 'リポジトリを連携' },
})
export const repositoryUnlinked = defineAuditAction({
  name: 'repository.unlinked',
  title: { en: 'Repository unlinked', ja: 'リポジトリの連携を解除' },
})
