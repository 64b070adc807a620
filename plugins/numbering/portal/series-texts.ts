import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts({
  title: { en: 'Numbering', ja: '採番' },
  lead: {
    en: 'Series give items an additional number of your own, such as REQ-1, in all your projects.',
    ja: 'タスクやノートに REQ-1 のような独自の番号を付けるための系列です。すべてのプロジェクトで使えます。',
  },
  series: { en: 'Series', ja: '系列' },
  next: { en: 'Next number', ja: '次の番号' },
  level: { en: 'Frozen', ja: '凍結' },
  levels: {
    en: { none: 'No', no_new: 'No new numbers', no_change: 'No changes at all' },
    ja: { none: 'なし', no_new: '新しい番号を禁止', no_change: '変更をすべて禁止' },
  },
  set: { en: 'Set', ja: '設定' },
  create: { en: 'Create a series', ja: '系列を作成' },
  keyHint: { en: 'Lower case, for example: req.', ja: '英小文字。例: req' },
  badKey: {
    en: 'Use lower-case letters, digits, - and _, starting with a letter.',
    ja: '英小文字で始め、英小文字、数字、-、_ を使ってください。',
  },
  prefix: { en: 'Prefix', ja: '接頭辞' },
  prefixHint: { en: 'Upper case, for example: REQ.', ja: '英大文字。例: REQ' },
  badPrefix: {
    en: 'Use 1 to 16 upper-case letters, digits and _, starting with a letter.',
    ja: '英大文字で始め、英大文字、数字、_ を16文字以内で使ってください。',
  },
  start: { en: 'First number', ja: '最初の番号' },
  created: {
    en: (preview: string) => `Series created; the first number is ${preview}.`,
    ja: preview => `系列を作成しました。最初の番号は ${preview} です。`,
  },
})
