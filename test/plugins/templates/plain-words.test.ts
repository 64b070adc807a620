import fc from 'fast-check'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRecurrence, upcoming } from '../../../plugins/templates/recurrence.ts'
import { dayOf } from '../../../plugins/templates/calendar.ts'
import { readQuickLine } from '../../../plugins/templates/words/read-line.ts'
import { readWords } from '../../../plugins/templates/words/read-words.ts'
import { longestTurn } from '../../longest-turn.ts'

/** A Wednesday, 12:00. */
const NOW = Date.parse('2026-03-04T12:00:00Z')
const TODAY = dayOf(NOW)
const WORKDAYS = 'BYDAY=MO,TU,WE,TH,FR'

/** `line | title | date | time`. */
const DATED = `
Call Ann tonight at 8 | Call Ann | 2026-03-04 | 20:00
Call Ann in 2 hours | Call Ann | 2026-03-04 | 14:00
Call Ann in 15 hours | Call Ann | 2026-03-05 | 03:00
Tea in 90 minutes | Tea | 2026-03-04 | 13:30
Tea in half an hour | Tea | 2026-03-04 | 12:30
Tea in an hour | Tea | 2026-03-04 | 13:00
Gifts by 12/24 | Gifts | 2026-12-24
Gifts due 24/12 | Gifts | 2026-12-24
Gifts by 12/24/2027 | Gifts | 2027-12-24
Dentist on 4/5 | Dentist | 2026-04-05
Gifts 24.12.2027 | Gifts | 2027-12-24
Gifts Dec 24 | Gifts | 2026-12-24
Gifts 24th of December | Gifts | 2026-12-24
Gifts on the 24th of December | Gifts | 2026-12-24
Pay on the 3rd | Pay | 2026-04-03
Pay by the 5th | Pay | 2026-03-05
Pay by the 31st | Pay | 2026-03-31
Sync next Mon 9-10am | Sync 9-10am | 2026-03-09 | 09:00
Sync tomorrow 14:00-15:00 | Sync 14:00-15:00 | 2026-03-05 | 14:00
Call tomorrow at 8 | Call | 2026-03-05 | 08:00
Call tomorrow morning | Call | 2026-03-05 | 09:00
Dinner on Friday evening at 8 | Dinner | 2026-03-06 | 20:00
Call this evening | Call | 2026-03-04 | 19:00
Lunch at noon | Lunch | 2026-03-05 | 12:00
Call at 3pm | Call | 2026-03-04 | 15:00
Call at 9am | Call | 2026-03-05 | 09:00
Call 3pm | Call | 2026-03-04 | 15:00
Report EOD | Report | 2026-03-04
Report by EOD | Report | 2026-03-04
Report tomorrow EOD | Report | 2026-03-05
Report by end of month | Report | 2026-03-31
Report by end of next month | Report | 2026-04-30
Report by end of year | Report | 2026-12-31
Meet on Friday week | Meet | 2026-03-13
Tomorrow call Ann | call Ann | 2026-03-05
Tomorrow at 3pm call Ann | call Ann | 2026-03-05 | 15:00
Friday: report | report | 2026-03-06
On Friday call Bob | call Bob | 2026-03-06
In 2 days call Bob | call Bob | 2026-03-06
Dec 24: presents | presents | 2026-12-24
2026-12-01 report | report | 2026-12-01
read 1984 by Friday | read 1984 | 2026-03-06
Prepare slides for Friday | Prepare slides for Friday | 2026-03-06
今夜8時 電話 | 電話 | 2026-03-04 | 20:00
今晩9時に電話 | 電話 | 2026-03-04 | 21:00
電話 2時間後 | 電話 | 2026-03-04 | 14:00
2時間半後に電話 | 電話 | 2026-03-04 | 14:30
90分後に電話 | 電話 | 2026-03-04 | 13:30
明日の朝 電話 | 電話 | 2026-03-05 | 09:00
夕食 明日夕方6時 | 夕食 | 2026-03-05 | 18:00
締め 月末 | 締め | 2026-03-31
来週の月曜 会議 | 会議 | 2026-03-09
再来週 会議 | 会議 | 2026-03-18
再来週の火曜 会議 | 会議 | 2026-03-17
今月末 締め | 締め | 2026-03-31
年末 大掃除 | 大掃除 | 2026-12-31
10日後に電話 | 電話 | 2026-03-14
午後3時半 会議 | 会議 | 2026-03-04 | 15:30
会議 午前9時 | 会議 | 2026-03-05 | 09:00
会議 12月24日(木) | 会議 | 2026-12-24
会議 12/24(木) | 会議 | 2026-12-24
会議 12/24まで | 会議 | 2026-12-24
明日14時半から15時30分まで 会議 | 会議 14時半から15時30分まで | 2026-03-05 | 14:30
会議 明日14時〜15時 | 会議 14時〜15時 | 2026-03-05 | 14:00
明日14:00-15:00 会議 | 会議 14:00-15:00 | 2026-03-05 | 14:00
明日14時から15時まで 会議 | 会議 14時から15時まで | 2026-03-05 | 14:00
10月4日には返事をする | 返事をする | 2026-10-04
12月24日(木)15時 会議 | 会議 | 2026-12-24 | 15:00
`

const TITLES = `
May I help
Sun Microsystems
Review second draft
March plan
Version 3.10
call 911
money for Mon repos
Enjoy the sun
Enjoy the Sun
Where the cat sat
They wed
Deals for Black Friday
Prepare Good Friday
Cyber Monday
Finish before Friday
What changed since Monday
Support 24/7
Read part 1/2
Read part 10/12
Paint 1/2
Henry the 3rd
Tomorrow Never Dies
Tomorrow is another day
On Friday nights relax
Friday report
Friday, Saturday and Sunday: gym
John 3:16
Talk from 3pm to 5pm
Upgrade to 24.12
Upgrade to 24.12.
Fix 1/2 of tests
Release 12/24
Gifts 24.12.
Make Clean the default theme in 2.7.
Fail on CentOS 6.6.
Focus on today
Blocked on tomorrow
Read USA Today
Crash at the noon
Sun: a new star
Sun, sand and sea
wait 5 may
Long march
Call mon ami
split second
Is Ann here tomorrow?
Crash twice a day.
Moved to Friday
Record for end of day
On Friday the build fails
Fixed on 2020-01-01
Orders of Monday, Tuesday
Gym Mondays at 7am
Release Feb 30
3時のおやつ
今夜の献立を考える
明日香に電話
第2四半期の計画
会議 12/24
12/24 会議
出張 3月4日〜6日
3月10日〜16日 出張
出張 3月10日 〜 3月16日
月曜日 と 火曜日
毎週土日祝 掃除
土日祝 掃除
2011年3月11日に発生した災害の記録
8月15日に終わった戦争は
明日にはがきを出す
会議 2月30日 15時
3時に電話
薬は日に3回。
`

/** `words = rule`, with a start before a semicolon. */
const RULES = `
every other day = FREQ=DAILY;INTERVAL=2
every 2nd Tuesday = FREQ=WEEKLY;INTERVAL=2;BYDAY=TU
every weekday except Friday = FREQ=WEEKLY;BYDAY=MO,TU,WE,TH
every day except weekends = FREQ=WEEKLY;${WORKDAYS}
every day except Sunday at 9:00 = FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9
last working day of the month = FREQ=MONTHLY;${WORKDAYS};BYSETPOS=-1
every last Friday = FREQ=MONTHLY;BYDAY=-1FR
end of every month = FREQ=MONTHLY;BYMONTHDAY=-1
every Jan 1 = FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1
every year on 12/24 = FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24
every quarter = FREQ=MONTHLY;INTERVAL=3
every 3 months on the 15th = FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15
once a week = FREQ=WEEKLY
once a month on the 3rd = FREQ=MONTHLY;BYMONTHDAY=3
every Monday until June = FREQ=WEEKLY;UNTIL=20260630;BYDAY=MO
every day until June 5 = FREQ=DAILY;UNTIL=20260605
every workday until end of year = FREQ=WEEKLY;UNTIL=20261231;${WORKDAYS}
every day for 10 times = FREQ=DAILY;COUNT=10
starting Monday every week = DTSTART:20260309 FREQ=WEEKLY
every Monday at 9:00 starting June 1 = DTSTART:20260601T000000 FREQ=WEEKLY;BYDAY=MO;BYHOUR=9
平日毎朝9時 = FREQ=WEEKLY;${WORKDAYS};BYHOUR=9
毎営業日 = FREQ=WEEKLY;${WORKDAYS}
平日(金曜以外) = FREQ=WEEKLY;BYDAY=MO,TU,WE,TH
隔週金曜 = FREQ=WEEKLY;INTERVAL=2;BYDAY=FR
第2・第4火曜 = FREQ=MONTHLY;BYDAY=2TU,4TU
毎月第二火曜日 = FREQ=MONTHLY;BYDAY=2TU
毎月末日 = FREQ=MONTHLY;BYMONTHDAY=-1
毎年4月1日 = FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1
毎週月曜から金曜 = FREQ=WEEKLY;${WORKDAYS}
月〜金 9時 = FREQ=WEEKLY;${WORKDAYS};BYHOUR=9
年に1回 = FREQ=YEARLY
毎日1回 = FREQ=DAILY
一日おき = FREQ=DAILY;INTERVAL=2
2日おき = FREQ=DAILY;INTERVAL=3
毎週 金 = FREQ=WEEKLY;BYDAY=FR
毎日、10回 = FREQ=DAILY;COUNT=10
毎朝平日 = FREQ=WEEKLY;${WORKDAYS};BYHOUR=9
6月まで毎週月曜 = FREQ=WEEKLY;UNTIL=20260630;BYDAY=MO
4月から毎週月曜 = DTSTART:20260401 FREQ=WEEKLY;BYDAY=MO
`
const rows = (table: string): string[] => table.trim().split('\n')

describe('dates and rules in plain words', () => {
  test('a line becomes a title and a date', () => {
    for (const row of rows(DATED)) {
      const [line, title, date, time = null] = row.split('|').map(each => each.trim())
      assert.deepEqual(readQuickLine(line!, NOW), { title, date, time }, line)
    }
  })

  test('words that are no dates stay in the title', () => {
    for (const title of rows(TITLES)) assert.deepEqual(readQuickLine(title, NOW), { title }, title)
    const words = fc.constantFrom(
      'buy',
      'milk',
      'may',
      'second',
      'plan',
      'review',
      '1984',
      '3.10',
      'Sun',
      'mayor',
      'at',
      'in',
    )
    const text = fc.array(words, { minLength: 1, maxLength: 6 }).map(all => [...all, 'list'].join(' '))
    fc.assert(fc.property(text, title => assert.deepEqual(readQuickLine(title, NOW), { title })))
  })

  test('a rule is read from a day on', () => {
    for (const row of rows(RULES)) {
      const [words, rule] = row.split(' = ')
      assert.equal(readWords(words!, TODAY).replace('\n', ' '), rule, words)
    }
  })

  test('how often without when is asked back', () => {
    for (const words of ['twice a week', 'three times a month', '週2回', '週に3回', '毎日10回']) {
      assert.throws(() => readWords(words), /says how often, not when/)
      assert.equal(readQuickLine(`Gym ${words}`, NOW).unclear, words)
    }
  })

  test('a rule with a start and an end has its next dates at the same local time over a change of clocks', () => {
    const now = new Date('2026-03-04T12:00:00Z')
    const next = (words: string) =>
      upcoming(readRecurrence(words, 'Europe/Berlin', now), now, 3).map(at => at.toISOString().slice(0, 16))
    assert.deepEqual(next('every Monday at 9:00 starting March 23'), [
      '2026-03-23T08:00',
      '2026-03-30T07:00',
      '2026-04-06T07:00',
    ])
    assert.deepEqual(next('every Monday at 9:00 starting March 23 until March 30').length, 2)
  })

  test('hours from now are counted over a change of clocks', () => {
    const due = (line: string, now: string) => {
      const { date, time } = readQuickLine(line, Date.parse(now), 'Europe/Berlin')
      return `${date} ${time}`
    }
    // 01:30 before clocks go from 02:00 to 03:00, and before they go from 03:00 back to 02:00.
    assert.equal(due('Tea in 2 hours', '2026-03-29T00:30Z'), '2026-03-29 04:30')
    assert.equal(due('お茶 2時間後', '2026-03-29T00:30Z'), '2026-03-29 04:30')
    assert.equal(due('Tea in 3 hours', '2026-10-24T23:30Z'), '2026-10-25 03:30')
  })

  test('no line takes long', async () => {
    const units = [
      ' ',
      'x ',
      '1',
      '1 ',
      ', ',
      'and ',
      '、',
      '、と',
      '月',
      '月、',
      '毎日 月曜、',
      'monday, ',
      'first and ',
    ]
    units.push(
      '第1・',
      'until ',
      'まで',
      '6月から',
      '9-10am ',
      '14時〜',
      'に',
      'every 1 ',
      'twice ',
      'end of ',
      '明日に',
    )
    for (const unit of units)
      for (const end of ['', 'x', ' every', ' monday', ' 明日']) {
        const line = unit.repeat(200).slice(0, 200 - end.length) + end
        const turn = await longestTurn(async () => readQuickLine(line, NOW, 'Europe/Berlin'))
        assert.ok(turn < 50, `${turn} ms for ${line.slice(0, 20)}…${end}`)
      }
    const rule = await longestTurn(async () => assert.throws(() => readWords('and '.repeat(50_000), TODAY)))
    assert.ok(rule < 50, `${rule} ms for a long rule`)
  })
})
