import { quoteName, quoteNameJa } from 'tasuki/plugin'
import { defineTexts, type Language } from '../../portal/index.ts'

const texts = defineTexts({
  closed: {
    en: (sprint: string) => `${quoteName(sprint)} was closed`,
    ja: sprint => `${quoteNameJa(sprint)}の終了による変更`,
  },
  split: {
    en: (sprint: string) => `Split at the end of ${quoteName(sprint)}`,
    ja: sprint => `${quoteNameJa(sprint)}の終了時に分割`,
  },
  imported: { en: (source: string) => `Imported from ${source}`, ja: source => `${source} からインポート` },
  /** Reasons without values, as they are stored. */
  others: {
    en: {},
    ja: {
      'Restored an earlier version': '以前の版を復元',
      'Superseded by the next task of its template': 'テンプレートの次のタスクに置き換え',
      'This occurrence of the series was moved': '繰り返しのうちこの回だけを移動',
      'This occurrence of the series was skipped': '繰り返しのうちこの回だけをスキップ',
    },
  },
})

/** Translates reasons written by the service itself (older ones lack the quotation marks); reasons written by users stay unchanged. */
export function reasonText(language: Language, reason: string): string {
  const t = texts(language)
  const closed = /^"?(.+?)"? was closed: (?:backlog|next_sprint|drop)$/.exec(reason)?.[1]
  if (closed !== undefined) return t.closed(closed)
  const split = /^Split at the end of "?(.+?)"?$/.exec(reason)?.[1]
  if (split !== undefined) return t.split(split)
  const source = /^Imported from (.+)$/.exec(reason)?.[1]
  if (source !== undefined) return t.imported(source)
  const others: Readonly<Record<string, string>> = t.others
  return Object.hasOwn(others, reason) ? others[reason]! : reason
}
