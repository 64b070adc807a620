import { quoteName, quoteNameJa } from 'tasuki/plugin'
import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts({
  title: { en: 'Library', ja: 'ライブラリ' },
  lead: { en: 'Notes of the project, in folders.', ja: 'プロジェクトのノートです。' },
  empty: { en: 'No notes and no folders yet.', ja: 'ノートもフォルダーもまだありません。' },
  root: { en: 'No folder', ja: 'フォルダーなし' },
  noNotes: { en: 'No notes.', ja: 'ノートはありません。' },
  shown: {
    en: (shown: number, all: number) => `Showing the ${shown} most recently updated notes of ${all}.`,
    ja: (shown, all) => `${all}件のうち、最近変更された${shown}件を表示しています。`,
  },
  create: { en: 'Create a folder', ja: 'フォルダーを作成' },
  pathHint: {
    en: 'Separate nested folders with a slash: Guides/Setup.',
    ja: '階層はスラッシュで区切ります。例: ガイド/準備',
  },
  created: { en: 'Folder created.', ja: 'フォルダーを作成しました。' },
  edit: { en: (name: string) => `Edit folder ${quoteName(name)}`, ja: name => `フォルダー${quoteNameJa(name)}を変更` },
  renamed: { en: 'Folder renamed.', ja: 'フォルダーの名前を変更しました。' },
  into: { en: 'Move into', ja: '移動先' },
  moved: { en: 'Folder moved.', ja: 'フォルダーを移動しました。' },
  deleteText: {
    en: 'Folders in it are deleted too. Notes stay, without a folder.',
    ja: '中のフォルダーも削除されます。ノートはフォルダーなしで残ります。',
  },
  deleted: { en: 'Folder deleted.', ja: 'フォルダーを削除しました。' },
  top: { en: '(none)', ja: '（なし）' },
})
