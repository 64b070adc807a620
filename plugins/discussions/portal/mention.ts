import { quoteNameJa } from 'tasuki/plugin'
import { notificationTranslations } from '../../workspace/index.ts'

const titles = { ja: (item: string) => `${item} でメンションされました` } as const

/** The news that somebody was mentioned; its body is what they wrote. */
export const mentionTranslation = notificationTranslations({
  kind: 'discussion.mention',
  translate: (language, { item_ref: ref, item_title: title, body }) =>
    ref === undefined
      ? undefined
      : { title: titles[language](`${ref}${title === undefined ? '' : ` ${quoteNameJa(title)}`}`), body },
})
