import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts({
  title: { en: 'Export', ja: 'エクスポート' },
  lead: {
    en: 'Downloads what you can see of this project.',
    ja: 'このプロジェクトのうち、あなたが閲覧できるものをダウンロードします。',
  },
  filterHint: {
    en: 'For example: label:bug is:open. Empty: all items, archived ones too.',
    ja: '例: label:bug is:open。空の場合は、アーカイブ済みも含むすべての項目です。',
  },
  formats: {
    en: { csv: 'CSV', json: 'JSON', markdown: 'Markdown' },
    ja: { csv: 'CSV', json: 'JSON', markdown: 'Markdown' },
  },
  hints: {
    en: {
      csv: 'For spreadsheets: a row for each item, without comments, relations and custom fields.',
      json: 'Everything, for programs; it can be imported again.',
      markdown: 'To read and to print.',
    },
    ja: {
      csv: '表計算ソフト用。項目ごとに1行で、コメント、関連、カスタムフィールドは含みません。',
      json: 'プログラム用。すべてを含み、もう一度インポートできます。',
      markdown: '読むため、印刷するため。',
    },
  },
  download: { en: 'Download', ja: 'ダウンロード' },
  link: { en: 'Export these items', ja: 'これらの項目をエクスポート' },
})
