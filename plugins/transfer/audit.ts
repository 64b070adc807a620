import { defineAuditAction } from 'tasuki/plugin'

const words = {
  format: { en: 'Format', ja: '形式' },
  file: { en: 'File', ja: 'ファイル' },
  filter: { en: 'Filter', ja: '絞り込み' },
  items: { en: 'Items', ja: '項目数' },
  created: { en: 'Created', ja: '作成' },
  known: { en: 'Already imported', ja: '取り込み済み' },
  problems: { en: 'Remarks', ja: '注記' },
}

export const imported = defineAuditAction({
  name: 'items.imported',
  title: { en: 'Items imported', ja: '項目をインポート' },
  words,
})
export const exported = defineAuditAction({
  name: 'items.exported',
  title: { en: 'Items exported', ja: '項目をエクスポート' },
  words,
})
