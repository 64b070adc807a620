import { defineTexts, formatDay, type ItemFields, type Language, type Visit } from '../../portal/index.ts'

export const itemTexts = defineTexts({
  archived: { en: 'archived', ja: 'アーカイブ済み' },
  noBody: { en: 'No description.', ja: '説明はありません。' },
  fields: { en: 'Details', ja: '詳細' },
  moved: { en: 'Item moved.', ja: '移動しました。' },
  moveToProject: { en: 'Move to another project', ja: '別のプロジェクトに移動' },
  priority: { en: 'Priority', ja: '優先度' },
  priorities: {
    en: { urgent: 'Urgent', high: 'High', normal: 'Normal', low: 'Low' },
    ja: { urgent: '緊急', high: '高', normal: '通常', low: '低' },
  },
  due: { en: 'Due', ja: '期限' },
  when: { en: 'Date', ja: '日時' },
  start: { en: 'Start', ja: '開始' },
  area: { en: 'Area', ja: 'エリア' },
  labels: { en: 'Labels', ja: 'ラベル' },
  numbers: { en: 'Numbers', ja: '番号' },
  revisions: { en: 'Version history', ja: '変更履歴（版）' },
  noRevisions: { en: 'The text has not changed yet.', ja: '本文はまだ変更されていません。' },
  version_of: { en: 'Replaced', ja: '置き換え日時' },
  by: { en: 'Changed by', ja: '変更者' },
  length: { en: 'Characters', ja: '文字数' },
  why: { en: 'Reason', ja: '理由' },
  compare: { en: 'Compare', ja: '比較' },
  diff: { en: (ref: string) => `Changes of ${ref}`, ja: ref => `${ref} の変更内容` },
  oldTitle: { en: (title: string) => `Title in this version: ${title}`, ja: title => `以前のタイトル: ${title}` },
  between: { en: 'Changes from this version to the current text', ja: 'この版と現在の本文との違いです。' },
  same: { en: 'Same as the current text.', ja: '現在の本文と同じです。' },
  restore: { en: 'Restore this version', ja: 'この版に戻す' },
  restoreText: { en: 'The current text stays in the version history.', ja: '現在の本文は変更履歴（版）に残ります。' },
  restored: { en: 'Version restored.', ja: '版を復元しました。' },
  restoredWhy: { en: 'Restored an earlier version', ja: '以前の版を復元' },
  before: { en: 'This version', ja: 'この版' },
  now: { en: 'Current', ja: '現在' },
  layout: { en: 'Diff layout', ja: '比較の表示' },
  unified: { en: 'Unified', ja: '1列' },
  sideBySide: { en: 'Split', ja: '2列' },
  oldLine: { en: 'Old line', ja: '以前の行' },
  newLine: { en: 'New line', ja: '現在の行' },
  line: { en: 'Text', ja: '本文' },
  removed: { en: 'removed', ja: '削除' },
  added: { en: 'added', ja: '追加' },
  moreLines: {
    en: (count: string) => `Only the beginning is shown. Lines left out: ${count}.`,
    ja: count => `先頭だけを表示しています。省略した行数: ${count}`,
  },
})

/** Errors of forms that move items to another state. */
export const stateRefusals = {
  en: {
    'not_found status_definition_id': 'Reload the page and choose again.',
    'invalid_argument custom_fields': 'Fill in these fields first.',
  },
  ja: {
    'not_found status_definition_id': 'このステータスはもうありません。ページを再読み込みして、選び直してください。',
    'invalid_argument custom_fields': 'この操作には必須のカスタムフィールドの値が必要です。先に入力してください。',
  },
}

const kinds: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<string, string>>>> = {
  ja: { epic: 'エピック', story: 'ストーリー', task: 'タスク', bug: 'バグ', chore: '雑務' },
}

/** Translates a built-in kind; custom kinds stay unchanged. */
export function kindName(language: Language, kind: string): string {
  return language !== 'en' && Object.hasOwn(kinds[language], kind) ? kinds[language][kind]! : kind
}

type Dated = Pick<ItemFields, 'due_date' | 'due_time'>

/** Formats when an item is due; empty without a date. */
export const dueText = (visit: Visit, { due_date: day, due_time: time = '' }: Dated): string =>
  day === undefined ? '' : `${formatDay(visit, day)} ${time}`.trim()
