import { defineTranslations } from '../../portal/index.ts'

/** Translates a remark of an import; those of other plugins are in English on Japanese pages, marked as such. */
export const translateRemark = defineTranslations({
  'it has no title, so it is left out': 'タイトルがないため取り込みません',
  'longer than {most} characters: cut, and the whole is in the body':
    '{most}文字を超えるため短くし、全文を本文に入れます',
  'longer than {most} characters: cut': '{most}文字を超える部分は取り込みません',
  'a comment is longer than {most} characters: cut': 'コメントの{most}文字を超える部分は取り込みません',
  'a custom field is longer than {most} characters: cut': 'カスタムフィールドの{most}文字を超える部分は取り込みません',
  'the project has {most} custom fields already: {name} is left out':
    'カスタムフィールドが上限の{most}個に達しているため、{name} は取り込みません',
  'more than {most} steps: the rest is left out': '{most}個を超えるステップは取り込みません',
  'more than {most} labels: the rest is left out': '{most}個を超えるラベルは取り込みません',
  'the workflow {workflow} has no state for {state}':
    'ワークフロー {workflow} に {state} に当たるステータスがないため取り込みません',
  'items of type {type} are not imported': '種類 {type} の項目は取り込めません',
  '{value} is unknown: left out': '{value} に当たる値がないため取り込みません',
  '{value} is unknown: {taken}': '{value} に当たる値がないため、{taken} にします',
  '{value} is no date that can be read: left out': '{value} は日付として読み取れないため取り込みません',
  '{value} is no time of a day that can be read: left out': '{value} は日時として読み取れないため取り込みません',
  '{value} is no time in the past that can be read: left out':
    '{value} は過去の日時として読み取れないため取り込みません',
  '{value} is left out: the task has a date, too': '日付もあるため、締め切り {value} は取り込みません',
  '{value} is not an estimate in {unit}.': '{value} は見積もりとして読み取れないため取り込みません',
  'the project has no estimates': 'このプロジェクトでは見積もりを使いません',
  'only the owner chooses numbers': '番号を指定できるのはプロジェクトの所有者だけです',
  'an event without a date is in no calendar': '日付のない予定はカレンダーに表示されません',
  'its parent {parent} is not among the imported items': '親の項目 {parent} が取り込む項目にないため、親なしになります',
  'its parents form a circle: it gets none': '親子関係が循環しているため、親なしになります',
  'the same key is in line {line}: left out': '{line}行目と同じキーのため取り込みません',
  'has {cells} cells, the header {heads}: the rest is left out':
    '見出しは{heads}列ですが{cells}列あるため、余分な列は取り込みません',
  'has a quote within a quoted cell that is not doubled: read as part of the text':
    '引用符で囲んだセルの中に二重にしていない引用符があるため、文字として読み取ります',
  'is a pull request, no issue': 'プルリクエストのため取り込みません',
  'has files, which are left out': '添付ファイルは取り込みません',
  'repeats ({rule}): only this occurrence is imported; a template repeats it':
    '繰り返し（{rule}）のうちこの回だけを取り込みます。繰り返すにはテンプレートを作成してください',
  'repeats ({rule}): imported without a date; a template repeats it':
    '繰り返し（{rule}）のため日付なしで取り込みます。繰り返すにはテンプレートを作成してください',
  'repeats ({rule}) from its completion: a template repeats it by the calendar':
    '完了日からの繰り返し（{rule}）は、テンプレートが暦どおりに繰り返します',
  'repeats ({rule}): left out': '繰り返し（{rule}）を読み取れないため取り込みません',
  'it does not have the form that exports write': 'エクスポートの形式ではないため取り込みません',
  'no plugin that is on keeps it': 'これを扱うプラグインが有効でないため取り込みません',
  'there is no relation of that type': 'その種類の関連はないため取り込みません',
  'the series {series} is frozen': '採番系列 {series} は凍結されています',
  'numbers go to {most}': '番号は{most}までです',
  '{number} is taken by another item': '{number} は別の項目が使っています',
})
