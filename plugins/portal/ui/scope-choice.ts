import type { Html } from '../html.ts'
import { defineTexts, type Language } from '../language.ts'
import type { Controls } from './controls.ts'

export const scopeTexts = defineTexts({
  scope: { en: 'Permissions', ja: '許可する操作' },
  write: { en: 'Read and change', ja: '閲覧と変更' },
  writeHint: { en: 'Everything that you can do.', ja: 'あなた自身ができるすべての操作。' },
  read: { en: 'Read only', ja: '閲覧のみ' },
  readHint: { en: 'Sees what you see and changes nothing.', ja: 'あなたに見えるものを見るだけで、変更はできません。' },
})

/** Renders the choice of the scope of an app or token. */
export function scopeChoice(form: Controls<'scope'>, language: Language): Html {
  const t = scopeTexts(language)
  return form.radios('scope', {
    label: t.scope,
    value: 'write',
    options: { write: t.write, read: t.read },
    hints: { write: t.writeHint, read: t.readHint },
  })
}
