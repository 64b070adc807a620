import { quoteName, quoteNameJa } from 'tasuki/plugin'
import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts(
  {
    title: 'Workflow',
    uses: (name: string) => `This project uses the workflow ${quoteName(name)}.`,
    means: 'Category',
    categories: { todo: 'To do', in_progress: 'In progress', review: 'In review', done: 'Closed' },
    attributes: { pending: '', done: 'done', duplicate: 'duplicate', wontfix: "won't do" },
    start: 'new items start here',
    choose: 'Switch workflow',
    workflow: 'Workflow',
    chooseHint: 'Items are moved to the matching states.',
    assign: 'Switch workflow',
    assigned: 'Workflow switched.',
    copy: 'Create your own workflow',
    copyText: 'Copies the workflow in use. Apps can then change its states and transitions.',
    copySubmit: 'Copy and switch',
    copied: (name: string) => `Switched to the new workflow ${quoteName(name)}.`,
    enforce: 'Allow only the defined transitions',
    other: (name: string) => `The project uses the workflow ${quoteName(name)} now. Check the setting and save again.`,
  },
  {
    ja: {
      title: 'ワークフロー',
      uses: name => `このプロジェクトはワークフロー${quoteNameJa(name)}を使っています。`,
      means: 'カテゴリ',
      categories: { todo: '未着手', in_progress: '進行中', review: 'レビュー中', done: '完了' },
      attributes: { pending: '', done: '完了', duplicate: '重複', wontfix: '対応しない' },
      start: '新しいタスクの初期ステータス',
      choose: 'ワークフローの切り替え',
      workflow: 'ワークフロー',
      chooseHint: 'タスクは対応するステータスに移ります。',
      assign: 'ワークフローを切り替える',
      assigned: 'ワークフローを切り替えました。',
      copy: '独自のワークフローを作る',
      copyText: '使用中のワークフローのコピーを作ります。ステータスと遷移はアプリから変更できます。',
      copySubmit: 'コピーして切り替える',
      copied: name => `新しいワークフロー${quoteNameJa(name)}に切り替えました。`,
      enforce: '定義された遷移だけを許可する',
      other: name =>
        `プロジェクトは現在ワークフロー${quoteNameJa(name)}を使っています。設定を確認して、もう一度保存してください。`,
    },
  },
)
