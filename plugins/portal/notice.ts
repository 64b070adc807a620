import { defineTranslations, joinSentences } from './language.ts'
import { formatDayIn } from './ui/parts.ts'
import type { Visit } from './visit.ts'

/** Matches days, and quoted names, in which a day is not formatted. */
const DAYS = /"[^"]*"|「[^」]*」|(?<![\d-])\d{4}-\d\d-\d\d(?![\d-])/g

/** Defines how a notice tells warnings of tools, without what they tell programs to call. @param translations for `defineTranslations` */
export function noticeWithWarnings(translations: Parameters<typeof defineTranslations>[0]) {
  const translate = defineTranslations(translations)
  return (visit: Visit, notice: string, { warnings = [] }: { readonly warnings?: readonly string[] }): string => {
    const plain = warnings.map(warning => warning.replace(/; [^;]*\w_\w[^;]*$/, '.'))
    const sentences = plain.map(warning => translate(visit.language, warning) ?? warning)
    return joinSentences(
      visit.language,
      notice,
      ...sentences.map(text => text.replaceAll(DAYS, found => formatDayIn(visit, found))),
    )
  }
}
