import type { Language } from '../../portal/index.ts'

/** Remarks of imports in Japanese; the others are in English on Japanese pages, marked as such. */
const JAPANESE: readonly (readonly [remark: RegExp, translate: (...groups: string[]) => string])[] = [
  [/^it has no title, so it is left out$/, () => 'タイトルがないため取り込みません'],
  [
    /^longer than (\d+) characters: cut, and the whole is in the body$/,
    most => `${most}文字を超えるため短くし、全文を本文に入れます`,
  ],
  [/^longer than (\d+) characters: cut$/, most => `${most}文字を超える部分は取り込みません`],
  [/^a comment is longer than (\d+) characters: cut$/, most => `コメントの${most}文字を超える部分は取り込みません`],
  [
    /^a custom field is longer than (\d+) characters: cut$/,
    most => `カスタムフィールドの${most}文字を超える部分は取り込みません`,
  ],
  [
    /^the project has (\d+) custom fields already: (.+) is left out$/,
    (most, name) => `カスタムフィールドが上限の${most}個に達しているため、${name} は取り込みません`,
  ],
  [/^more than (\d+) steps: the rest is left out$/, most => `${most}個を超えるステップは取り込みません`],
  [/^more than (\d+) labels: the rest is left out$/, most => `${most}個を超えるラベルは取り込みません`],
  [
    /^the workflow (.+) has no state for (.*)$/,
    (workflow, state) => `ワークフロー ${workflow} に ${state} に当たるステータスがないため取り込みません`,
  ],
  [/^items of type (.+) are not imported$/, type => `種類 ${type} の項目は取り込めません`],
  [/^(".*") is unknown: left out$/, value => `${value} に当たる値がないため取り込みません`],
  [/^(".*") is unknown: (.+)$/, (value, taken) => `${value} に当たる値がないため、${taken} にします`],
  [/^(".*") is no date that can be read: left out$/, value => `${value} は日付として読み取れないため取り込みません`],
  [
    /^(".*") is no time of a day that can be read: left out$/,
    value => `${value} は日時として読み取れないため取り込みません`,
  ],
  [/^an event without a date is in no calendar$/, () => '日付のない予定はカレンダーに表示されません'],
  [
    /^its parent (.+) is not among the imported items$/,
    parent => `親の項目 ${parent} が取り込む項目にないため、親なしになります`,
  ],
  [/^its parents form a circle: it gets none$/, () => '親子関係が循環しているため、親なしになります'],
  [/^the same key is in line (\d+): left out$/, line => `${line}行目と同じキーのため取り込みません`],
  [
    /^has (\d+) cells, the header (\d+): the rest is left out$/,
    (cells, heads) => `見出しは${heads}列ですが${cells}列あるため、余分な列は取り込みません`,
  ],
  [
    /^has a quote within a quoted cell that is not doubled: read as part of the text$/,
    () => '引用符で囲んだセルの中に二重にしていない引用符があるため、文字として読み取ります',
  ],
  [/^is a pull request, no issue$/, () => 'プルリクエストのため取り込みません'],
  [/^has files, which are left out$/, () => '添付ファイルは取り込みません'],
  [
    /^repeats \((.+)\): only this occurrence is imported; a template repeats it$/,
    rule => `繰り返し（${rule}）のうちこの回だけを取り込みます。繰り返すにはテンプレートを作成してください`,
  ],
  [
    /^repeats \((.+)\): imported without a date; a template repeats it$/,
    rule => `繰り返し（${rule}）のため日付なしで取り込みます。繰り返すにはテンプレートを作成してください`,
  ],
  [
    /^repeats \((.+)\) from its completion: a template repeats it by the calendar$/,
    rule => `完了日からの繰り返し（${rule}）は、テンプレートが暦どおりに繰り返します`,
  ],
  [/^repeats \((.+)\): left out$/, rule => `繰り返し（${rule}）を読み取れないため取り込みません`],
  [/^it does not have the form that exports write$/, () => 'エクスポートの形式ではないため取り込みません'],
  [/^no plugin that is on keeps it$/, () => 'これを扱うプラグインが有効でないため取り込みません'],
  [/^there is no relation of that type$/, () => 'その種類の関連はないため取り込みません'],
  [/^the series (.+) is frozen$/, series => `採番系列 ${series} は凍結されています`],
  [/^numbers go to (\d+)$/, most => `番号は${most}までです`],
  [/^(\S+) is taken by another item$/, number => `${number} は別の項目が使っています`],
]

/** Translates a remark. @returns null if there is no translation: the remark of another plugin */
export function translateRemark(language: Language, remark: string): string | null {
  if (language === 'en') return remark
  for (const [pattern, translate] of JAPANESE) {
    const found = pattern.exec(remark)
    if (found) return translate(...found.slice(1))
  }
  return null
}
