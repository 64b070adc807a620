import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts({
  title: { en: 'Kinds', ja: '種類' },
  builtIn: { en: 'Kinds in every project:', ja: 'すべてのプロジェクトで使える種類:' },
  own: { en: 'Custom kinds', ja: 'このプロジェクトの種類' },
  hint: {
    en: 'Lower-case letters, digits, - and _, separated by commas, for example: risk, spike.',
    ja: '英小文字、数字、-、_ をコンマで区切ります。例: risk, spike',
  },
  none: { en: 'No custom kinds.', ja: '独自の種類はありません。' },
})
