import { quoteName, quoteNameJa } from 'tasuki/plugin'
import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts({
  title: { en: 'Workflow', ja: 'ワークフロー' },
  uses: {
    en: (name: string) => `This project uses the workflow ${quoteName(name)}.`,
    ja: name => `このプロジェクトはワークフロー${quoteNameJa(name)}を使っています。`,
  },
  means: { en: 'Category', ja: 'カテゴリ' },
  categories: {
    en: { todo: 'To do', in_progress: 'In progress', review: 'In review', done: 'Closed' },
    ja: { todo: '未着手', in_progress: '進行中', review: 'レビュー中', done: '完了' },
  },
  attributes: {
    en: { pending: '', done: 'done', duplicate: 'duplicate', wontfix: "won't do" },
    ja: { pending: '', done: '完了', duplicate: '重複', wontfix: '対応しない' },
  },
  start: { en: 'new items start here', ja: '新しいタスクの初期ステータス' },
  choose: { en: 'Switch workflow', ja: 'ワークフローの切り替え' },
  workflow: { en: 'Workflow', ja: 'ワークフロー' },
  chooseHint: { en: 'Items are moved to the matching states.', ja: 'タスクは対応するステータスに移ります。' },
  assign: { en: 'Switch workflow', ja: 'ワークフローを切り替える' },
  assigned: { en: 'Workflow switched.', ja: 'ワークフローを切り替えました。' },
  copy: { en: 'Create your own workflow', ja: '独自のワークフローを作る' },
  copyText: {
    en: 'Copies the workflow in use. Apps can then change its states and transitions.',
    ja: '使用中のワークフローのコピーを作ります。ステータスと遷移はアプリから変更できます。',
  },
  copySubmit: { en: 'Copy and switch', ja: 'コピーして切り替える' },
  copied: {
    en: (name: string) => `Switched to the new workflow ${quoteName(name)}.`,
    ja: name => `新しいワークフロー${quoteNameJa(name)}に切り替えました。`,
  },
  enforce: { en: 'Allow only the defined transitions', ja: '定義された遷移だけを許可する' },
  other: {
    en: (name: string) => `The project uses the workflow ${quoteName(name)} now. Check the setting and save again.`,
    ja: name =>
      `プロジェクトは現在ワークフロー${quoteNameJa(name)}を使っています。設定を確認して、もう一度保存してください。`,
  },
})
