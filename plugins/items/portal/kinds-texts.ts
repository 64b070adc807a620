import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts(
  {
    title: 'Kinds',
    builtIn: 'Kinds in every project:',
    own: 'Custom kinds',
    hint: 'Lower-case letters, digits, - and _, separated by commas, for example: risk, spike.',
    none: 'No custom kinds.',
  },
  {
    ja: {
      title: '種類',
      builtIn: 'すべてのプロジェクトで使える種類:',
      own: 'このプロジェクトの種類',
      hint: '英小文字、数字、-、_ をコンマで区切ります。例: risk, spike',
      none: '独自の種類はありません。',
    },
  },
)
