import { cleanText, shownJson, shownText, type Field } from './fields.ts'
import { defineTexts } from './language.ts'
import { Refusal } from './page.ts'
import type { Visit } from './visit.ts'

type Values = Readonly<Record<string, string>>

const texts = defineTexts({
  changed: {
    en: (value: string) =>
      value === ''
        ? 'This was cleared meanwhile. Send the form again to replace it with your value.'
        : `This was changed meanwhile to “${value}”. Send the form again to replace it with your value.`,
    ja: value =>
      `その間に${value === '' ? '空に' : `「${value}」に`}変更されました。入力した値に置き換えるには、もう一度送信してください。`,
  },
})

/** Defines the hidden field with the values that the page showed, from `form.shown`; empty if a program posts without it. */
export function shownValues(): Field<Values> {
  return { read: ([posted]) => ({ value: parseShown(posted) }) }
}

/** Reads the value of the hidden field `shown`. */
export function parseShown(posted = ''): Values {
  try {
    const values: unknown = JSON.parse(posted)
    return Object.fromEntries(Object.entries(values as object).map(([name, v]) => [name, String(v)]))
  } catch {
    return {}
  }
}

/**
 * Merges a form into what is stored: fields that were not edited keep the stored value.
 * @param label words for a stored value
 * @throws Refusal 409 for fields that were edited here and changed elsewhere; the form then shows what it would save
 */
export function mergeShown<T extends Values>(
  { language }: Pick<Visit, 'language'>,
  { shown, stored, entered }: { readonly shown: Values; readonly stored: NoInfer<Values>; readonly entered: T },
  label: (value: string, name: string) => string = value => value,
): T {
  const merged: Record<string, string> = { ...entered }
  const problems: Record<string, string> = {}
  for (const [name, value] of Object.entries(entered)) {
    const now = cleanText(stored[name]!)
    const was = shownText(shown[name] ?? now)
    // Sending a single field unchanged is a decision too: it moves a task back.
    const isEdited = shownText(value) !== was || Object.keys(entered).length === 1
    if (!isEdited) merged[name] = now
    else if (shownText(now) !== was && now !== value) problems[name] = texts(language).changed(label(now, name))
  }
  if (Object.keys(problems).length > 0) throw new Refusal(problems, 409, { ...merged, shown: shownJson(stored) })
  return merged as T
}
