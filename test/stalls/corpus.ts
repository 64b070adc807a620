/** A text that is expensive to process for careless code; at most `size` UTF-16 units long. */
export interface HostileText {
  readonly name: string
  readonly make: (size: number) => string
}

/** Repeats a unit as often as it fits. */
const repeated = (unit: string): HostileText => ({
  name: `${JSON.stringify(unit).slice(0, 24)} …`,
  make: size => unit.repeat(Math.max(1, Math.floor(size / unit.length))).slice(0, size),
})
const made = (name: string, make: (size: number) => string): HostileText => ({
  name,
  make: size => whole(make(size).slice(0, size)),
})

/** Removes half of a surrogate pair at the end. */
function whole(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}

const lines = (size: number, line: (n: number) => string): string => {
  const all: string[] = []
  for (let n = 0, length = 0; length < size; n++) length += all[all.push(line(n)) - 1]!.length + 1
  return all.join('\n')
}
const table = (size: number, columns: number): string => {
  const row = '|a'.repeat(columns)
  return [row, '|-'.repeat(columns), ...Array.from({ length: Math.ceil(size / row.length) }, () => '|')].join('\n')
}
/** Deterministic noise. */
const noise = (seed: number): number => {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 12)) >>> 0
}

/** Texts for any parameter. */
export const TEXTS: readonly HostileText[] = [
  ...[
    'x',
    '日本語',
    '👩‍👩‍👧',
    'ﷺ',
    'İ',
    '[',
    '(',
    '*',
    '_',
    '`',
    '<',
    '"',
    "'",
    '\\',
    '&',
    ' ',
    '\n',
    '-',
    '/',
    '.',
    ':',
    '#',
  ].map(repeated),
  ...[
    '#1 ',
    'STMT#1 ',
    'http://',
    'http://a.',
    'http://a.example ',
    'a@a.a ',
    'www.a.',
    'fooBar',
    'E4021:',
    'é',
    '1,',
  ].map(repeated),
  made('an accent upon accents', size => `a${'\u0301'.repeat(size / 2)}${'\u0323'.repeat(size / 2)}`),
  made('accents in turn', size => `a${'\u0301\u0323'.repeat(size / 2)}`),
  made('words', size => Array.from({ length: size / 6 }, (_, n) => noise(n).toString(36).slice(0, 5)).join(' ')),
  made('random kanji', size =>
    Array.from({ length: size }, (_, n) => String.fromCharCode(0x4e00 + (noise(n) % 20_000))).join(''),
  ),
]

/** Markdown texts. */
export const MARKDOWN: readonly HostileText[] = [
  ...[10, 100, 1000].map(columns => made(`a table of ${columns} columns`, size => table(size, columns))),
  made('tables', size => '|a\n|-\n|a\n\n'.repeat(size / 10)),
  made('a table that shrinks', size => `${'|a'.repeat(128)}\n${'|-'.repeat(128)}\n${'a\n'.repeat(size)}`),
  made('a deep list', size => lines(size, n => `${' '.repeat(2 * (n % 90))}- a`)),
  made('a list of lists', size => '- '.repeat(size / 2)),
  made('quotes', size => '> '.repeat(size / 2)),
  made('lines in quotes', size => lines(size, n => `${'>'.repeat(n % 200)} a`)),
  made('numbered', size => '1. a\n'.repeat(size / 5)),
  made('headings', size => '# a\n'.repeat(size / 4)),
  made('fences', size => '```mermaid\n'.repeat(size / 11)),
  made('graph', size => `\`\`\`mermaid\ngraph TD\n${'a-->b\n'.repeat(size / 6)}\n\`\`\``),
  made('backticks of every length', size => lines(size, n => `${'`'.repeat(n % 120)}a`)),
  made('backticks in a line', size => lines(size, n => '`'.repeat(n)).replaceAll('\n', ' ')),
  made('emphasis', size => '**a_'.repeat(size / 4)),
  made('emphasis, open', size => '*a **a '.repeat(size / 7)),
  made('emphasis, closed', size => 'a** b* '.repeat(size / 7)),
  made('strikes', size => '~~a~'.repeat(size / 4)),
  made('links', size => '[a](b) '.repeat(size / 7)),
  made('open links', size => '[a]('.repeat(size / 4)),
  made('links with titles', size => '[a](<b> "'.repeat(size / 9)),
  made('pictures', size => '![a'.repeat(size / 3)),
  made('nested links', size => '['.repeat(size / 2) + ']'.repeat(size / 2)),
  made('nested brackets with targets', size => '['.repeat(size / 5) + '](a)'.repeat(size / 5)),
  made('definitions', size => lines(size, n => `[${n}]: a`)),
  made('a definition that is used', size => `[a]: ${'b'.repeat(size / 3)}\n\n${'[a]'.repeat(size / 5)}`),
  made('open definitions', size => '[a]:\n'.repeat(size / 5)),
  made('tags', size => '<a b="'.repeat(size / 6)),
  made('comments', size => '<!--'.repeat(size / 4)),
  made('declarations', size => '<!A '.repeat(size / 4)),
  made('addresses in brackets', size => '<http://a'.repeat(size / 9)),
  made('entities', size => '&amp;'.repeat(size / 5)),
  made('tasks', size => '- [ ] a\n'.repeat(size / 8)),
  made('rules', size => '* * *\n'.repeat(size / 6)),
  made('underlined', size => 'a\n=\n'.repeat(size / 4)),
  made('indented', size => '    a\n\n'.repeat(size / 7)),
  made('hard breaks', size => 'a  \n'.repeat(size / 4)),
  made('mail', size => 'mailto:a@b '.repeat(size / 11)),
  made('hosts', size => 'a.b.c.'.repeat(size / 6)),
  made('an address with brackets', size => `http://a/${'('.repeat(size / 2)}${')'.repeat(size / 2)}`),
  made('sentences', size => 'Done. '.repeat(size / 6)),
  made('many lines', size => lines(size, n => noise(n).toString(36).slice(0, 3))),
  made('few lines, often', size => lines(size, n => 'abc'[noise(n) % 3]!)),
]

/** Filters, queries and patterns. */
export const QUERIES: readonly HostileText[] = [
  ...[
    'a OR ',
    'NOT ',
    '-',
    '(a ',
    'a) ',
    '"a ',
    'a:',
    'label:a,',
    'label:a ',
    'is:open ',
    'due:<+7d ',
    'due:2026-01-01..',
    'title:"a" ',
    'kind:',
    '||',
    '# ',
  ].map(repeated),
  made('nested', size => `${'('.repeat(size / 2 - 1)}a${')'.repeat(size / 2 - 1)}`),
  made('nested NOT', size => `${'NOT ('.repeat(size / 6)}a${')'.repeat(size / 6)}`),
  made('any of', size => `(${Array.from({ length: size / 16 }, (_, n) => `title:word${n}`).join(' OR ')})`),
  made('many words', size => Array.from({ length: size / 7 }, (_, n) => `w${n}`).join(' ')),
  made('typos', size => Array.from({ length: size / 9 }, (_, n) => `deplyo${n}`).join(' ')),
]

export const PATTERNS: readonly HostileText[] = [
  made('nested repeats', size => `${'('.repeat(size / 4)}a${'+)+'.repeat(size / 4)}`),
  made('(a+)+$', () => '(a+)+$'),
  made('counted', () => '(?:a{1,1000})'),
  made('counted twice', () => '(?:(?:[a-z]{1,30}){1,30})$'),
  made('a?a?a?aaa', size => 'a?'.repeat(size / 3) + 'a'.repeat(size / 3)),
  made('anything, often', size => '.*'.repeat(size / 2)),
  made('letters, often', size => '\\p{L}*'.repeat(size / 6)),
  made('choices', size => Array.from({ length: size / 5 }, (_, n) => `w${n}`).join('|')),
  made('choices of one', size => `(${'a|'.repeat(size / 2 - 2)}b)*c`),
  made('sets', size => '[^a]'.repeat(size / 4)),
  made(
    'a wide set',
    size => `[${Array.from({ length: size - 2 }, (_, n) => String.fromCharCode(0x4e00 + 2 * n)).join('')}]+x`,
  ),
  made('an optional anything', () => '(.?){100}x'),
  made('any case', size => '(?i)' + 'Kſ'.repeat(size / 2 - 4)),
]

const list = (count: number, from = 0, step = 1): string =>
  Array.from({ length: count }, (_, n) => from + n * step).join(',')
const HOURS = list(24)
const MINUTES = list(60)

/** Expensive recurrence rules, and rules that never come due. */
export const RULES: readonly string[] = [
  `FREQ=DAILY;BYHOUR=${HOURS};BYMINUTE=${list(15, 0, 4)};BYSETPOS=366`,
  `FREQ=DAILY;BYHOUR=${HOURS};BYMINUTE=${MINUTES};BYSETPOS=366`,
  `FREQ=DAILY;BYHOUR=${HOURS};BYMINUTE=${MINUTES};BYSETPOS=-366;COUNT=1000`,
  `FREQ=DAILY;BYHOUR=${HOURS};BYMINUTE=${list(15, 0, 4)};BYSETPOS=361,-361;COUNT=1000`,
  'FREQ=WEEKLY;BYDAY=FR;BYSETPOS=3',
  'FREQ=WEEKLY;BYDAY=FR;BYSETPOS=366',
  `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${HOURS};BYMINUTE=${MINUTES};BYSETPOS=${list(200, 1)}`,
  `FREQ=YEARLY;BYYEARDAY=${list(220, 1)};BYHOUR=${list(10)};BYMINUTE=0,30`,
  `FREQ=YEARLY;INTERVAL=1000;BYYEARDAY=366;BYHOUR=${HOURS};BYMINUTE=${MINUTES}`,
  `FREQ=YEARLY;BYWEEKNO=${list(53, 1)};BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${HOURS};BYMINUTE=${MINUTES};COUNT=1000`,
  'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;COUNT=1000',
  'FREQ=YEARLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=0;COUNT=100',
  `FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2,4,6;BYHOUR=${HOURS};BYMINUTE=${MINUTES}`,
  `FREQ=MONTHLY;BYDAY=5MO;BYMONTH=2;BYHOUR=${HOURS};BYMINUTE=0,30;BYSETPOS=49`,
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=1000',
  `FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=${HOURS};BYMINUTE=${MINUTES};BYSETPOS=366;COUNT=1000`,
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
  'FREQ=DAILY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
  'FREQ=DAILY;COUNT=1000',
  'FREQ=WEEKLY;INTERVAL=1000;COUNT=1000',
  `FREQ=HOURLY;BYMINUTE=${MINUTES};COUNT=1000`,
  'FREQ=HOURLY;INTERVAL=24;BYHOUR=7;BYMINUTE=0',
  'FREQ=HOURLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=30;BYMINUTE=1,2,3',
  `FREQ=HOURLY;BYYEARDAY=${list(200, 1)};BYMONTHDAY=31;BYMONTH=2`,
  'FREQ=HOURLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=3',
  `FREQ=HOURLY;BYMINUTE=${MINUTES};BYSETPOS=366`,
  'DTSTART:19000101T000000\nRRULE:FREQ=HOURLY;COUNT=1000',
  'DTSTART:19000101T000000\nRRULE:FREQ=HOURLY;INTERVAL=2;BYDAY=MO',
  'DTSTART:19000101T000000\nRRULE:FREQ=DAILY;INTERVAL=3;BYHOUR=1,2,3',
  'DTSTART;TZID=Europe/Berlin:20260101T023000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'DTSTART;TZID=Europe/Berlin:20260101T023000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;COUNT=1000',
  'DTSTART;TZID=America/New_York:20260101T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;BYMINUTE=0,1,2,3,4,5,6,7,8,9',
]
