import { defineTranslations, joinSentences, type Language } from './language.ts'

/** Defines how a notice tells warnings of tools, without what they tell programs to call. @param japanese their translations */
export function noticeWithWarnings(japanese: Readonly<Record<string, string>>) {
  const translate = defineTranslations(japanese)
  return (language: Language, notice: string, { warnings = [] }: { readonly warnings?: readonly string[] }): string => {
    const plain = warnings.map(warning => warning.replace(/; [^;]*\w_\w[^;]*$/, '.'))
    return joinSentences(language, notice, ...plain.map(warning => translate(language, warning) ?? warning))
  }
}
