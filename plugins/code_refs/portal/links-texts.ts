import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts(
  {
    title: 'Code',
    lead: 'Commits and pull requests that mention an item, such as APP#12, are shown on it. The code host sends them by webhook.',
    none: 'No repository is linked yet.',
    repository: 'Repository',
    repositoryHint: 'Owner and name, for example acme/shop.',
    host: 'Code host',
    since: 'Since',
    unlink: 'Unlink',
    unlinked: 'Repository unlinked.',
    link: 'Link a repository',
    linkedTitle: 'Repository linked',
    linkedText:
      'Make a webhook at the code host with these values, for pushes and pull requests, with content type application/json.',
    secret: 'Secret',
    once: 'The secret is shown only once.',
    done: 'Back to the links',
    guest: 'Only the owner of the project can link repositories.',
  },
  {
    ja: {
      title: 'コード',
      lead: 'APP#12 のようにタスクやノートに言及したコミットとプルリクエストが、そのページに表示されます。コードホストからは Webhook で通知されます。',
      none: 'まだリポジトリとの連携はありません。',
      repository: 'リポジトリ',
      repositoryHint: '所有者と名前。例: acme/shop',
      host: 'コードホスト',
      since: '連携日時',
      unlink: '連携を解除',
      unlinked: '連携を解除しました。',
      link: 'リポジトリと連携',
      linkedTitle: 'リポジトリと連携しました',
      linkedText:
        'コードホストで次の値の Webhook を作成してください。対象はプッシュとプルリクエスト、コンテンツタイプは application/json です。',
      secret: 'シークレット',
      once: 'シークレットが表示されるのは一度だけです。',
      done: '連携の一覧に戻る',
      guest: '連携できるのはプロジェクトの所有者だけです。',
    },
  },
)
