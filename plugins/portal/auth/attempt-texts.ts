import { formatCount } from 'tasuki/plugin'
import { defineTexts } from '../language.ts'

/** Texts for users after too many attempts. @param seconds until the next attempt is accepted */
export const attemptTexts = defineTexts(
  {
    wait: (seconds: number) =>
      seconds < 120
        ? `Too many attempts. Try again in ${formatCount(seconds, 'second')}.`
        : `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
  },
  {
    ja: {
      wait: seconds =>
        seconds < 120
          ? `試行回数が多すぎます。${seconds}秒後にもう一度お試しください。`
          : `試行回数が多すぎます。${Math.ceil(seconds / 60)}分後にもう一度お試しください。`,
    },
  },
)
