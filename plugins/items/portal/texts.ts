import { defineTexts, formatDay, type ItemFields, type Language, type Visit } from '../../portal/index.ts'

export const itemTexts = defineTexts(
  {
    archived: 'archived',
    noBody: 'No description.',
    fields: 'Details',
    moved: 'Item moved.',
    edit: 'Edit',
    moveToProject: 'Move to another project',
    priority: 'Priority',
    priorities: { urgent: 'Urgent', high: 'High', normal: 'Normal', low: 'Low' },
    due: 'Due',
    overdue: 'Overdue',
    when: 'Date',
    start: 'Start',
    area: 'Area',
    labels: 'Labels',
    numbers: 'Numbers',
    revisions: 'Version history',
    noRevisions: 'The text has not changed yet.',
    version_of: 'Replaced',
    by: 'Changed by',
    length: 'Characters',
    why: 'Reason',
    compare: 'Compare',
    diff: (ref: string) => `Changes of ${ref}`,
    oldTitle: (title: string) => `Title in this version: ${title}`,
    between: 'Changes from this version to the current text',
    same: 'Same as the current text.',
    restore: 'Restore this version',
    restoreText: 'The current text stays in the version history.',
    restored: 'Version restored.',
    restoredWhy: 'Restored an earlier version',
    before: 'This version',
    now: 'Current',
    layout: 'Diff layout',
    unified: 'Unified',
    sideBySide: 'Split',
    oldLine: 'Old line',
    newLine: 'New line',
    line: 'Text',
    removed: 'removed',
    added: 'added',
    moreLines: (count: string) => `Only the beginning is shown. Lines left out: ${count}.`,
  },
  {
    ja: {
      archived: 'アーカイブ済み',
      noBody: '説明はありません。',
      fields: '詳細',
      moved: '移動しました。',
      edit: '編集',
      moveToProject: '別のプロジェクトに移動',
      priority: '優先度',
      priorities: { urgent: '緊急', high: '高', normal: '通常', low: '低' },
      due: '期限',
      overdue: '期限超過',
      when: '日時',
      start: '開始',
      area: 'エリア',
      labels: 'ラベル',
      numbers: '番号',
      revisions: '変更履歴（版）',
      noRevisions: '本文はまだ変更されていません。',
      version_of: '置き換え日時',
      by: '変更者',
      length: '文字数',
      why: '理由',
      compare: '比較',
      diff: ref => `${ref} の変更内容`,
      oldTitle: title => `以前のタイトル: ${title}`,
      between: 'この版と現在の本文との違いです。',
      same: '現在の本文と同じです。',
      restore: 'この版に戻す',
      restoreText: '現在の本文は変更履歴（版）に残ります。',
      restored: '版を復元しました。',
      restoredWhy: '以前の版を復元',
      before: 'この版',
      now: '現在',
      layout: '比較の表示',
      unified: '1列',
      sideBySide: '2列',
      oldLine: '以前の行',
      newLine: '現在の行',
      line: '本文',
      removed: '削除',
      added: '追加',
      moreLines: count => `先頭だけを表示しています。省略した行数: ${count}`,
    },
  },
)

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
