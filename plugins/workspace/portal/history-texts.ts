import { quoteName, quoteNameJa } from 'tasuki/plugin'
import { defineTexts, defineWords } from '../../portal/index.ts'

export const texts = defineTexts({
  history: { en: 'Changes', ja: '変更履歴' },
  allHistory: { en: 'All changes', ja: 'すべての変更' },
  noHistory: { en: 'No changes yet.', ja: 'まだ変更はありません。' },
  client: { en: (client: string) => `with ${quoteName(client)}`, ja: client => `${quoteNameJa(client)}を使用` },
  changedFrom: { en: 'from', ja: '変更前' },
  changedTo: { en: 'to', ja: '変更後' },
  set: { en: 'set to', ja: '設定' },
  cleared: { en: 'cleared', ja: 'クリア' },
  was: { en: 'was', ja: '変更前' },
  next: { en: 'next:', ja: '次回:' },
  phrase: { en: (verb: string, thing: string) => `${verb} ${thing}`, ja: (verb, thing) => `${thing}を${verb}` },
})

/** Names of what changes, by the second part of a kind of entry. */
export const subjectWord = defineWords({
  title: { en: 'Title', ja: 'タイトル' },
  detail: { en: 'Text', ja: '本文' },
  due_date: { en: 'Due', ja: '期限' },
  due_time: { en: 'Due time', ja: '期限の時刻' },
  start_date: { en: 'Start', ja: '開始' },
  priority: { en: 'Priority', ja: '優先度' },
  kind: { en: 'Kind', ja: '種類' },
  state: { en: 'State', ja: 'ステータス' },
  labels: { en: 'Labels', ja: 'ラベル' },
  sprint: { en: 'Sprint', ja: 'スプリント' },
  version: { en: 'Version', ja: 'バージョン' },
  area: { en: 'Area', ja: 'エリア' },
  estimate: { en: 'Estimate', ja: '見積もり' },
  discussion: { en: 'Comments', ja: 'コメント' },
  relation: { en: 'Relations', ja: '関連' },
  checklist: { en: 'Checklist item', ja: 'チェックリスト' },
  attachment: { en: 'File', ja: 'ファイル' },
  reminder: { en: 'Reminders', ja: 'リマインダー' },
  number: { en: 'Numbers', ja: '番号' },
  code_ref: { en: 'Code', ja: 'コード' },
  project: { en: 'Project', ja: 'プロジェクト' },
  template: { en: 'Template', ja: 'テンプレート' },
  parent: { en: 'Parent', ja: '親' },
})

/** Verbs by the last part of a kind of entry. */
export const verbWord = defineWords({
  created: { en: 'created', ja: '作成' },
  completed: { en: 'completed', ja: '完了' },
  reopened: { en: 'reopened', ja: '再開' },
  archived: { en: 'archived', ja: 'アーカイブ' },
  restored: { en: 'restored', ja: '復元' },
  changed: { en: 'changed', ja: '変更' },
  moved: { en: 'moved', ja: '移動' },
  added: { en: 'added', ja: '追加' },
  removed: { en: 'removed', ja: '削除' },
  deleted: { en: 'deleted', ja: '削除' },
  edited: { en: 'changed', ja: '変更' },
  assigned: { en: 'assigned', ja: '割り当て' },
  unassigned: { en: 'unassigned', ja: '割り当て解除' },
  skipped: { en: 'skipped', ja: 'スキップ' },
  snoozed: { en: 'snoozed', ja: '延期' },
  sent: { en: 'sent', ja: '送信' },
  generated: { en: 'created an item', ja: '項目を作成' },
  failed: { en: 'failed', ja: '失敗' },
  unarchived: { en: 'restored', ja: '復元' },
})

/** Records of an item that are added and removed. */
export const thingWord = defineWords({
  attachment: { en: 'file', ja: 'ファイル' },
  discussion: { en: 'comment', ja: 'コメント' },
  relation: { en: 'relation', ja: '関連' },
  checklist: { en: 'checklist item', ja: 'チェック項目' },
  reminder: { en: 'reminder', ja: 'リマインダー' },
  code_ref: { en: 'code reference', ja: 'コード参照' },
})

/** Verbs for those records. */
export const comingWord = defineWords({
  created: { en: 'Added', ja: '追加' },
  added: { en: 'Added', ja: '追加' },
  edited: { en: 'Edited', ja: '変更' },
  changed: { en: 'Changed', ja: '変更' },
  deleted: { en: 'Deleted', ja: '削除' },
  removed: { en: 'Removed', ja: '削除' },
})

/** States of reminders. */
export const reminderWord = defineWords({
  pending: { en: 'pending', ja: '未通知' },
  sent: { en: 'sent', ja: '通知済み' },
  dismissed: { en: 'dismissed', ja: '取り消し' },
})

/** Names of built-in priorities and kinds. */
export const valueWord = defineWords({
  urgent: { en: 'urgent', ja: '緊急' },
  high: { en: 'high', ja: '高' },
  normal: { en: 'normal', ja: '通常' },
  low: { en: 'low', ja: '低' },
  epic: { en: 'epic', ja: 'エピック' },
  story: { en: 'story', ja: 'ストーリー' },
  task: { en: 'task', ja: 'タスク' },
  bug: { en: 'bug', ja: 'バグ' },
  chore: { en: 'chore', ja: '雑務' },
})
