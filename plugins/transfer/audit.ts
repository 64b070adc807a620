import { defineAuditAction } from 'tasuki/plugin'

export const imported = defineAuditAction({
  name: 'items.imported',
  title: { en: 'Items imported', ja: '項目をインポート' },
})
export const exported = defineAuditAction({
  name: 'items.exported',
  title: { en: 'Items exported', ja: '項目をエクスポート' },
})
