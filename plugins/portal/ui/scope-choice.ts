import type { Html } from '../html.ts'
import { defineTexts, type Language } from '../language.ts'
import type { Controls } from './controls.ts'

export const scopeTexts = defineTexts(
  {
    scope: 'Permissions',
    write: 'Read and change',
    writeHint: 'Everything that you can do.',
    read: 'Read only',
    readHint: 'Sees what you see and changes nothing.',
  },
  {
    ja: {
      scope: '許可する操作',
      write: '閲覧と変更',
      writeHint: 'あなた自身ができるすべての操作。',
      read: '閲覧のみ',
      readHint: 'あなたに見えるものを見るだけで、変更はできません。',
    },
  },
)

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
