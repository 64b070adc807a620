import { defineTranslations, type Language } from '../../portal/index.ts'

const translate = defineTranslations({
  '{ref} has no due date now, so its reminders before it is due wait until it has one.':
    '{ref} の期限がなくなったため、期限前のリマインダーは期限が決まるまで通知されません。',
  '{ref} is archived: listings show it only with is:archived.':
    '{ref} はアーカイブ済みのため、一覧には is:archived でのみ表示されます。',
  '{ref} is done without {fields}, which the project requires.':
    '{ref} は、プロジェクトの必須項目 {fields} が空のまま完了しました。',
})

/** Returns the notice of a form with the warnings of its tool, but for what those tell programs to call. */
export function noticeWith(
  language: Language,
  notice: string,
  { warnings = [] }: { readonly warnings?: readonly string[] },
) {
  const plain = warnings.map(warning => warning.replace(/; [^;]*\w_\w[^;]*$/, '.'))
  return [notice, ...plain.map(warning => translate(language, warning) ?? warning)].join(' ')
}
