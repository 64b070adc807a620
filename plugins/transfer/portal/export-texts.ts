import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts(
  {
    title: 'Export',
    lead: 'Downloads what you can see of this project.',
    filterHint: 'For example: label:bug is:open. Empty: all items, archived ones too.',
    formats: { csv: 'CSV', json: 'JSON', markdown: 'Markdown' },
    hints: {
      csv: 'For spreadsheets: a row for each item, without comments, relations and custom fields.',
      json: 'Everything, for programs; it can be imported again.',
      markdown: 'To read and to print.',
    },
    download: 'Download',
    link: 'Export these items',
  },
  {
    ja: {
      title: 'エクスポート',
      lead: 'このプロジェクトのうち、あなたが閲覧できるものをダウンロードします。',
      filterHint: '例: label:bug is:open。空の場合は、アーカイブ済みも含むすべての項目です。',
      formats: { csv: 'CSV', json: 'JSON', markdown: 'Markdown' },
      hints: {
        csv: '表計算ソフト用。項目ごとに1行で、コメント、関連、カスタムフィールドは含みません。',
        json: 'プログラム用。すべてを含み、もう一度インポートできます。',
        markdown: '読むため、印刷するため。',
      },
      download: 'ダウンロード',
      link: 'これらの項目をエクスポート',
    },
  },
)
