import { quoteName, quoteNameJa } from 'tasuki/plugin'
import { defineTexts, type Language } from '../../portal/index.ts'

const texts = defineTexts(
  {
    closed: (sprint: string) => `${quoteName(sprint)} was closed`,
    split: (sprint: string) => `Split at the end of ${quoteName(sprint)}`,
    superseded: 'Superseded by the next task of its template',
    restored: 'Restored an earlier version',
  },
  {
    ja: {
      closed: sprint => `${quoteNameJa(sprint)}の終了による変更`,
      split: sprint => `${quoteNameJa(sprint)}の終了時に分割`,
      restored: '以前の版を復元',
      superseded: 'テンプレートの次のタスクに置き換え',
    },
  },
)

/** Translates reasons written by the service itself (older ones lack the quotation marks); reasons written by users stay unchanged. */
export function reasonText(language: Language, reason: string): string {
  const t = texts(language)
  const closed = /^"?(.+?)"? was closed: (?:backlog|next_sprint|drop)$/.exec(reason)?.[1]
  if (closed !== undefined) return t.closed(closed)
  const split = /^Split at the end of "?(.+?)"?$/.exec(reason)?.[1]
  if (split !== undefined) return t.split(split)
  if (reason === 'Restored an earlier version') return t.restored
  return reason === 'Superseded by the next task of its template' ? t.superseded : reason
}
