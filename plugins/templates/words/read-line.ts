import { normalizeText } from 'tasuki/plugin'
import { readDateWords } from './read-dates.ts'
import { ruleOfWords } from './read-words.ts'

/** How words of a rule may begin. A "last Friday" without a month is mostly a day of the past. */
const BEGINNING =
  /^(?:(?:every|each|daily|hourly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually)\b|(?:on )?(?:the )?(?:first|last) .* month\b|毎|四半期ごと|半年ごと|隔|平日|土日|週末|\d+(?:日|週間?|か月|ヶ月|年|時間)(?:ごと|毎))/i

/** A title with the due date or rule next to it. */
export interface QuickLine {
  readonly title: string
  /** In words, as accepted by `readRecurrence`. */
  readonly recurrence?: string
  /** `YYYY-MM-DD`. */
  readonly date?: string
  /** `HH:MM`. */
  readonly time?: string | null
}

/** Parses one line, such as `Report every second Friday at 16:00` or `牛乳を買う 明日`. @param now wall-clock time of the user */
export function readQuickLine(line: string, now: number): QuickLine {
  const words = normalizeText(line).trim().split(/\s+/)
  const saysRule = (text: string): boolean => BEGINNING.test(text) && ruleOfWords(text) !== null
  for (let n = 0; n < words.length; n++) {
    const end = words.slice(n).join(' ')
    if (saysRule(end)) return { title: words.slice(0, n).join(' '), recurrence: end }
  }
  // Japanese may begin with the time.
  for (let n = words.length - 1; n > 0; n--) {
    const beginning = words.slice(0, n).join(' ')
    if (!/[a-z]/i.test(beginning) && saysRule(beginning))
      return { title: words.slice(n).join(' '), recurrence: beginning }
  }
  const dated = readDateWords(line, now)
  return dated ? { title: dated.text, date: dated.date, time: dated.time } : { title: line.trim() }
}
