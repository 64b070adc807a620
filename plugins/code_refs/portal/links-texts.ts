import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts({
  title: { en: 'Code', ja: 'コード' },
  lead: {
    en: 'Commits and pull requests that mention an item, such as APP#12, are shown on it. The code host sends them by webhook.',
    ja: 'APP#12 のようにタスクやノートに言及したコミットとプルリクエストが、そのページに表示されます。コードホストからは Webhook で通知されます。',
  },
  none: { en: 'No repository is linked yet.', ja: 'まだリポジトリとの連携はありません。' },
  repository: { en: 'Repository', ja: 'リポジトリ' },
  repositoryHint: { en: 'Owner and name, for example acme/shop.', ja: '所有者と名前。例: acme/shop' },
  host: { en: 'Code host', ja: 'コードホスト' },
  since: { en: 'Since', ja: '連携日時' },
  unlinked: { en: 'Repository unlinked.', ja: '連携を解除しました。' },
  link: { en: 'Link a repository', ja: 'リポジトリと連携' },
  linkedTitle: { en: 'Repository linked', ja: 'リポジトリと連携しました' },
  linkedText: {
    en: 'Make a webhook at the code host with these values, for pushes and pull requests, with content type application/json.',
    ja: 'コードホストで次の値の Webhook を作成してください。対象はプッシュとプルリクエスト、コンテンツタイプは application/json です。',
  },
  once: { en: 'The secret is shown only once.', ja: 'シークレットが表示されるのは一度だけです。' },
  done: { en: 'Back to the links', ja: '連携の一覧に戻る' },
  guest: {
    en: 'Only the owner of the project can link repositories.',
    ja: '連携できるのはプロジェクトの所有者だけです。',
  },
})
