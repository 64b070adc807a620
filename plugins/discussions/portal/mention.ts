import { quoteNameJa } from 'tasuki/plugin'
import { notificationTranslations } from '../../workspace/index.ts'

const titles = { ja: (item: string) => `${item} でメンションされました` } as const

/** Translation of the notification about a mention; its body is the comment. */
export const mentionTranslation = notificationTranslations({
  kind: 'discussion.mention',
  translate: (language, { item_ref: ref, item_title: title, body }) =>
    ref === undefined
      ? undefined
      : { title: titles[language](`${ref}${title === undefined ? '' : ` ${quoteNameJa(title)}`}`), body },
})
