import { MINUTE_MS, normalizeText } from 'tasuki/plugin'
import { dayOf } from '../calendar.ts'
import { wallClock } from '../zone.ts'
import { readDueDate, type Clock } from './read-dates.ts'
import { DAYS } from './english.ts'
import { isJapanese } from './vocabulary.ts'
import { howOften, saysRule } from './read-words.ts'

/** How words of a rule may begin. A "last Friday" without a month is mostly a day of the past. */
const RULE = new RegExp(
  `^(?:${[
    '(?:every|each|daily|hourly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually)\\b',
    '(?:on )?(?:the )?(?:first|last) .* month\\b',
    '(?:at )?(?:the )?end of (?:every|each) month\\b',
    'once an? |第[1-5一二三四五]|[月火水木金土日](?:曜日?)?[〜~]',
    '毎|四半期ごと|半年ごと|隔|平日|土日|週末|\\d+(?:日|週間?|か月|ヶ月|年|時間)(?:ごと|毎|おき)',
  ].join('|')})`,
  'i',
)
/** After these words, a date is a part of the title: of several days, of a past or repeated one, of a name, or of a statement. */
const KEEPS_DATE = new RegExp(
  `(?:^| )(?:${[
    'and|or|not|last|the|an?|of|on|at|to|from|since|before|after|than|about|except|starting|every|each|during|between|through',
    'is|was|be|black|good|cyber|casual|ash|super|[-–]|daily|weekly|.*(?:から|より|[とや〜~日曜])',
    `(?:${DAYS})s?,?|\\d+:\\d\\d|\\d+ ?[ap]m`,
  ].join('|')})$`,
  'i',
)
/** At the end of a line, capitals are those of a name, and `may` is a verb; a question is no task. */
const ENDS_IN_NAME = /\?$| (?:Today|Tomorrow|Tonight)$|\d (?:may|mar|march)$/
/** After a date without a colon, a name and these words make it a part of the title. */
const CONTINUES_DATE =
  /^(?:\p{Lu}|\d|(?:is|was|will|and|or|never|an?|the|it|we|you|they|\w*(?:morning|evening|afternoon|night)s)\b)/u

/** A title with the due date or rule next to it. */
export interface QuickLine {
  readonly title: string
  /** In words, as accepted by `readRecurrence`. */
  readonly recurrence?: string
  /** `YYYY-MM-DD`. */
  readonly date?: string
  /** `HH:MM`. */
  readonly time?: string | null
  /** Words at the end that say how often, not when. */
  readonly unclear?: string
}

/** What a date may end with at the beginning of a line; of `にはがき`, it is not clear where the title begins. */
const START_END = / |に(?!は)|には(?!\p{Script=Hiragana})|まで|、/gu

/** Parses one line, such as `Report every second Friday at 16:00` or `牛乳を買う 明日`, as of an instant (milliseconds). */
export function readQuickLine(line: string, instant: number, timeZone = 'UTC'): QuickLine {
  const clock: Clock = minutes => wallClock(instant + minutes * MINUTE_MS, timeZone)
  const plain = normalizeText(line).trim().replaceAll(/\s+/g, ' ')
  const splits = splitsOf(plain)
  const ruled = splits.find(split => isRule(split, dayOf(clock(0))))
  if (ruled) return { title: ruled.title, recurrence: ruled.when }
  const unclear = howOften(plain)
  if (unclear !== null && plain.endsWith(unclear)) return { title: line.trim(), unclear }
  for (const split of ENDS_IN_NAME.test(plain) ? [] : splits) {
    const dated = readDated(split, clock)
    if (dated) return dated
  }
  return { title: line.trim() }
}

/** Returns the ways to split a line, those with the longest words for the time first. */
function splitsOf(plain: string) {
  const after = (pattern: RegExp): number[] =>
    Array.from(plain.matchAll(pattern), ({ index, 0: all }) => index + all.length)
  const starts = after(START_END).filter(end => end < plain.length)
  return [
    ...[0, ...after(/ /g)].map(n => ({ title: plain.slice(0, n).trim(), when: plain.slice(n), isStart: false })),
    ...starts.toReversed().map(n => ({ title: plain.slice(n), when: plain.slice(0, n).trim(), isStart: true })),
  ]
}

type Split = ReturnType<typeof splitsOf>[number]

/** In Japanese, a rule may be at the beginning too. */
function isRule({ title, when, isStart }: Split, today: number): boolean {
  return RULE.test(when) && (!isStart || (!/[a-z]/i.test(when) && isTitle(title))) && saysRule(when, today)
}

function readDated({ title, when, isStart }: Split, clock: Clock): QuickLine | null {
  const words = isStart ? startOf(when, title) : KEEPS_DATE.test(title) ? null : when.replace(/[.!]$/, '')
  const due = words === null ? null : readDueDate(words.toLowerCase(), clock)
  if (!due) return null
  // The title needs what it is for.
  const whole = title.endsWith(' for') ? `${title} ${when}` : `${title} ${due.range}`.trim()
  return { title: whole, date: due.date, time: due.time }
}

/** Returns the words of a date at the beginning of a line; null if they are rather a part of the title. */
function startOf(text: string, title: string): string | null {
  const [, words = '', mark] = /^(.*?)(:|,| [-–—])?$/.exec(text)!
  if (isJapanese(text)) return isTitle(title) && !/[たかは]$/.test(title) ? words : null
  if (mark !== undefined && mark !== ',') return words
  const begins = mark === ',' || /^(?:tomorrow|(?:the )?day after|on|by|in|\d{4}-)/i.test(words)
  return begins && !CONTINUES_DATE.test(title) ? words : null
}

const isTitle = (text: string): boolean => !/^(?:を|[がもはへでとや] |[〜~–-])/.test(text)
