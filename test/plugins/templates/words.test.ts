import fc from 'fast-check'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRecurrence, upcoming } from '../../../plugins/templates/recurrence.ts'
import { readRule, ruleText } from '../../../plugins/templates/rule.ts'
import { readQuickLine } from '../../../plugins/templates/words/read-line.ts'
import { readWords } from '../../../plugins/templates/words/read-words.ts'
import { describeRule, wordsOf } from '../../../plugins/templates/words/write-words.ts'
import { verifies } from '../../verifies.ts'

const WORKDAYS = 'BYDAY=MO,TU,WE,TH,FR'
const READ: readonly (readonly [words: string, rule: string])[] = [
  ['every second Friday at 16:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=16'],
  ['every second friday of the month', 'FREQ=MONTHLY;BYDAY=2FR'],
  ['Every weekday', `FREQ=WEEKLY;${WORKDAYS}`],
  ['every working day at 9am', `FREQ=WEEKLY;${WORKDAYS};BYHOUR=9`],
  ['last working day of the month', `FREQ=MONTHLY;${WORKDAYS};BYSETPOS=-1`],
  ['every Monday, Wednesday and Friday at noon', 'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=12'],
  ['every other week on Tue and Thu', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH'],
  ['biweekly on friday', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR'],
  ['monthly on the 1st and 15th at 8', 'FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=8'],
  ['first and third tuesday of the month', 'FREQ=MONTHLY;BYDAY=1TU,3TU'],
  ['quarterly on the last day', 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-1'],
  ['every December 25', 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25'],
  ['daily at 9:30 pm', 'FREQ=DAILY;BYHOUR=21;BYMINUTE=30'],
  ['every 4 hours', 'FREQ=HOURLY;INTERVAL=4'],
  ['weekly on monday until 2027-03-01', 'FREQ=WEEKLY;UNTIL=20270301;BYDAY=MO'],
  ['every day for ten times', 'FREQ=DAILY;COUNT=10'],
  ['every weekend', 'FREQ=WEEKLY;BYDAY=SA,SU'],
  ['every 1st and 15th', 'FREQ=MONTHLY;BYMONTHDAY=1,15'],
  ['every quarter on the 1st', 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1'],
  ['every two quarters', 'FREQ=MONTHLY;INTERVAL=6'],
  ['fourth Thursday of November', 'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH'],
  ['the first Sunday in every May', 'FREQ=YEARLY;BYMONTH=5;BYDAY=1SU'],
  ['every morning', 'FREQ=DAILY;BYHOUR=9'],
  ['every evening at 8', 'FREQ=DAILY;BYHOUR=20'],
  ['every evening at 8:30 pm', 'FREQ=DAILY;BYHOUR=20;BYMINUTE=30'],
  ['every evening at 20:00', 'FREQ=DAILY;BYHOUR=20'],
  ['every night at 1', 'FREQ=DAILY;BYHOUR=1'],
  ['every Monday morning', 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9'],
  ['every Friday afternoon at 3', 'FREQ=WEEKLY;BYDAY=FR;BYHOUR=15'],
  ['毎週月曜日', 'FREQ=WEEKLY;BYDAY=MO'],
  ['隔週金曜16時', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=16'],
  ['隔週金曜日の１６時', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=16'],
  ['毎週月・水・金曜日の午後3時半', 'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=15;BYMINUTE=30'],
  ['毎日9時', 'FREQ=DAILY;BYHOUR=9'],
  ['毎日夜10時', 'FREQ=DAILY;BYHOUR=22'],
  ['毎週月水金 朝7時', 'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=7'],
  ['平日9:30', `FREQ=WEEKLY;${WORKDAYS};BYHOUR=9;BYMINUTE=30`],
  ['毎月1日と15日', 'FREQ=MONTHLY;BYMONTHDAY=1,15'],
  ['毎月末', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
  ['毎月最終営業日 17時', `FREQ=MONTHLY;${WORKDAYS};BYSETPOS=-1;BYHOUR=17`],
  ['毎月第2・第4火曜日', 'FREQ=MONTHLY;BYDAY=2TU,4TU'],
  ['毎月15日と月末', 'FREQ=MONTHLY;BYMONTHDAY=15,-1'],
  ['毎月初め', 'FREQ=MONTHLY;BYMONTHDAY=1'],
  ['毎朝', 'FREQ=DAILY;BYHOUR=9'],
  ['毎朝7:30', 'FREQ=DAILY;BYHOUR=7;BYMINUTE=30'],
  ['毎晩9時半', 'FREQ=DAILY;BYHOUR=21;BYMINUTE=30'],
  ['毎夜1時', 'FREQ=DAILY;BYHOUR=1'],
  ['四半期ごと', 'FREQ=MONTHLY;INTERVAL=3'],
  ['半年に1回', 'FREQ=MONTHLY;INTERVAL=6'],
  ['毎年12月の第1日曜日', 'FREQ=YEARLY;BYMONTH=12;BYDAY=1SU'],
  ['毎年12月25日', 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25'],
  ['1日おき', 'FREQ=DAILY;INTERVAL=2'],
  ['2週間ごとの月曜日', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO'],
]

describe('recurrence in words', () => {
  verifies('templates.words', 'English and Japanese words are parsed as the intended rule', () => {
    for (const [words, rule] of READ) assert.equal(readWords(words), rule, words)
    const next = (text: string) =>
      upcoming(
        readRecurrence(text, 'Asia/Tokyo', new Date('2026-03-04T03:00:00Z')),
        new Date('2026-03-04T03:00:00Z'),
        3,
      )
    assert.deepEqual(
      next('every second Friday at 16:00').map(at => at.toISOString().slice(0, 16)),
      ['2026-03-06T07:00', '2026-03-20T07:00', '2026-04-03T07:00'],
    )
    assert.deepEqual(next('隔週金曜16時'), next('FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=16'))
    assert.deepEqual(next('DTSTART:20260401T090000\nevery month on the 1st').length, 3)
  })

  verifies('templates.words', 'unknown words are refused with examples', () => {
    for (const words of ['every blue moon', 'whenever', '毎度', 'every', 'x'.repeat(900)]) {
      assert.throws(
        () => readWords(words),
        (error: { code: string; help: { allowed: string[] } }) => {
          assert.equal(error.code, 'invalid_argument')
          for (const example of error.help.allowed) assert.ok(readRule(readWords(example)))
          return error.help.allowed.length > 3
        },
      )
    }
  })

  test('dates in words are parsed only at the beginning or the end of a line', () => {
    // A Wednesday.
    const now = Date.parse('2026-03-04T12:00:00Z')
    const lines: readonly (readonly [line: string, title: string, date?: string, time?: string])[] = [
      ['Buy milk tomorrow 15:00', 'Buy milk', '2026-03-05', '15:00'],
      ['Call Ann in 3 days', 'Call Ann', '2026-03-07'],
      ['Report next Friday at 5pm', 'Report', '2026-03-13', '17:00'],
      ['Report on Friday', 'Report', '2026-03-06'],
      ['Move the day after tomorrow', 'Move', '2026-03-06'],
      ['Close the books by end of month', 'Close the books', '2026-03-31'],
      ['Presents Feb 29 2028 noon', 'Presents', '2028-02-29', '12:00'],
      ['Call mom tomorrow morning', 'Call mom', '2026-03-05', '09:00'],
      ['Dinner on Friday evening at 8pm', 'Dinner', '2026-03-06', '20:00'],
      ['Send the draft tonight', 'Send the draft', '2026-03-04'],
      ['Meet Ann at 3pm tomorrow', 'Meet Ann', '2026-03-05', '15:00'],
      ['Submit by 17:30 on Friday.', 'Submit', '2026-03-06', '17:30'],
      ['Lunch at noon tomorrow!', 'Lunch', '2026-03-05', '12:00'],
      ['Talk from 3pm to 5pm tomorrow', 'Talk from 3pm to 5pm', '2026-03-05', '15:00'],
      ['Good morning tomorrow', 'Good morning', '2026-03-05'],
      ['Meet at 25:00 tomorrow', 'Meet at 25:00 tomorrow'],
      ['Pay the tax in two weeks', 'Pay the tax', '2026-03-18'],
      ['Call Bob in a month', 'Call Bob', '2026-04-04'],
      ['Dentist on Sept 5', 'Dentist', '2026-09-05'],
      ['Clean up this weekend', 'Clean up', '2026-03-07'],
      ['電話 明日の午後', '電話', '2026-03-05', '13:00'],
      ['金曜の夜 飲み会', '飲み会', '2026-03-06', '21:00'],
      ['今夜 洗濯', '洗濯', '2026-03-04'],
      ['今夜の献立を考える', '今夜の献立を考える'],
      ['牛乳を買う 明日', '牛乳を買う', '2026-03-05'],
      ['来週の火曜日15時 会議', '会議', '2026-03-10', '15:00'],
      ['金曜日までに報告', '報告', '2026-03-06'],
      ['電話 3日後', '電話', '2026-03-07'],
      ['締め 月末', '締め', '2026-03-31'],
      ['明日の朝9時に歯医者', '歯医者', '2026-03-05', '09:00'],
      ['映画 明日夜8時', '映画', '2026-03-05', '20:00'],
      ['今日中にメールを返す', 'メールを返す', '2026-03-04'],
      ['来月1日に家賃を払う', '家賃を払う', '2026-04-01'],
      ['来月31日に締め', '来月31日に締め'],
      ['引っ越し 明日夜12時', '引っ越し 明日夜12時'],
      ['毎日新聞を読む', '毎日新聞を読む'],
      ['Gym mon, wed and fri at 7am', 'Gym mon, wed and fri at 7am'],
      ['Fix item 3 may fail', 'Fix item 3 may fail'],
      ['Today show notes', 'Today show notes'],
      ['日曜大工', '日曜大工'],
      ['今日の料理を見る', '今日の料理を見る'],
      ['Release Feb 30', 'Release Feb 30'],
      ['Meet tomorrow at 25:00', 'Meet tomorrow at 25:00'],
    ]
    for (const [line, title, date, time = null] of lines)
      assert.deepEqual(readQuickLine(line, now), date === undefined ? { title } : { title, date, time }, line)
    const afterLeapDay = Date.parse('2028-03-05T12:00:00Z')
    const sunday = Date.parse('2026-03-08T12:00:00Z')
    assert.equal(readQuickLine('Clean up this weekend', sunday).date, '2026-03-08')
    assert.deepEqual(readQuickLine('Pay rent Feb 29', afterLeapDay), { title: 'Pay rent Feb 29' })
    assert.deepEqual(readQuickLine('Daily standup every weekday', now), {
      title: 'Daily standup',
      recurrence: 'every weekday',
    })
    assert.deepEqual(readQuickLine('隔週金曜16時 報告書', now), { title: '報告書', recurrence: '隔週金曜16時' })
    assert.deepEqual(readQuickLine('Daily report', now), { title: 'Daily report' })
    for (const title of ['Fix what broke last Friday', 'Party first Sunday of December', 'Morning run', '朝の散歩'])
      assert.deepEqual(readQuickLine(title, now), { title })
    for (const title of ['Enjoy the sun', 'Deals for Black Friday', 'See what changed since Monday'])
      assert.deepEqual(readQuickLine(title, now), { title })
    assert.deepEqual(readQuickLine('薬を飲む 毎晩9時', now), { title: '薬を飲む', recurrence: '毎晩9時' })
    assert.deepEqual(readQuickLine('Stretch every morning', now), { title: 'Stretch', recurrence: 'every morning' })
  })

  test('the description of a rule, in either language, is parsed as the same rule', () => {
    const days = fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], { minLength: 1 })
    const interval = fc.integer({ min: 1, max: 12 }).map(n => (n === 1 ? '' : `;INTERVAL=${n}`))
    const time = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 0, max: 23 }).map(hour => `;BYHOUR=${hour}`),
      fc
        .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 59 }))
        .map(([hour, minute]) => `;BYHOUR=${hour};BYMINUTE=${minute}`),
    )
    const ordinals = fc.subarray([1, 2, 3, 4, 5, -1], { minLength: 1 })
    const dates = fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 3 })
    const body = fc.oneof(
      interval.map(n => `FREQ=HOURLY${n}`),
      fc.tuple(interval, time).map(([n, at]) => `FREQ=DAILY${n}${at}`),
      fc.tuple(interval, days, time).map(([n, on, at]) => `FREQ=WEEKLY${n};BYDAY=${on.join()}${at}`),
      fc.tuple(interval, time).map(([n, at]) => `FREQ=WEEKLY${n}${at}`),
      fc
        .tuple(interval, ordinals, fc.constantFrom('MO', 'SU'), time)
        .map(([n, nth, on, at]) => `FREQ=MONTHLY${n};BYDAY=${nth.map(each => each + on).join()}${at}`),
      fc
        .tuple(interval, ordinals, time)
        .map(([n, nth, at]) => `FREQ=MONTHLY${n};${WORKDAYS};BYSETPOS=${nth.join()}${at}`),
      fc
        .tuple(interval, fc.oneof(dates, fc.constant([-1])), time)
        .map(([n, on, at]) => `FREQ=MONTHLY${n};BYMONTHDAY=${on.join()}${at}`),
      fc
        .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }), time)
        .map(([month, date, at]) => `FREQ=YEARLY;BYMONTH=${month};BYMONTHDAY=${date}${at}`),
    )
    const end = fc.constantFrom('', ';COUNT=5', ';COUNT=12', ';UNTIL=20261130')
    fc.assert(
      fc.property(body, end, fc.constantFrom('en' as const, 'ja' as const), (unending, until, language) => {
        const text = unending + until
        const rule = ruleText(readRule(text))
        const words = wordsOf(readRule(text), language)
        assert.ok(words !== null, text)
        assert.equal(readWords(words), rule, words)
      }),
      { numRuns: 600 },
    )
    for (const other of [
      'FREQ=DAILY;COUNT=1',
      'FREQ=DAILY;UNTIL=20261130T000000Z',
      'FREQ=YEARLY;BYYEARDAY=1',
      'FREQ=MONTHLY;BYDAY=MO',
      'FREQ=DAILY;BYHOUR=1,2',
    ])
      assert.equal(wordsOf(readRule(other), 'en'), null, other)
    assert.equal(
      describeRule('FREQ=DAILY;BYHOUR=9;COUNT=5\nEXDATE:20261128T090000', 'en'),
      'Every day at 09:00, 5 times',
    )
    assert.equal(describeRule('FREQ=WEEKLY;BYDAY=FR;UNTIL=20261130', 'ja'), '毎週金曜日、2026-11-30まで')
  })
})
