import { formatCount } from 'tasuki/plugin'
import { defineTexts } from '../language.ts'
import { Refusal } from '../page.ts'
import type { Visit } from '../visit.ts'

const texts = defineTexts({
  wait: {
    en: (seconds: number) =>
      seconds < 120
        ? `Too many attempts. Try again in ${formatCount(seconds, 'second')}.`
        : `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
    ja: seconds =>
      seconds < 120
        ? `試行回数が多すぎます。${seconds}秒後にもう一度お試しください。`
        : `試行回数が多すぎます。${Math.ceil(seconds / 60)}分後にもう一度お試しください。`,
  },
})

/** Returns the refusal after too many attempts, for the user and for programs. @param wait seconds until the next attempt is accepted */
export function refuseAttempt({ language, reply }: Visit, wait: number): Refusal {
  reply.header('retry-after', wait)
  return new Refusal({ '': texts(language).wait(wait) }, 429)
}
