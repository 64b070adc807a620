import * as fc from 'fast-check'

const alphabet = [
  ...Array.from('abkKsSAxe019 _%.-\\"[]{}()*+?|^$\n\té'),
  'É',
  'ſ',
  '\u212a',
  'σ',
  'ς',
  'Σ',
  'İ',
  'ı',
  'ß',
  '会',
  '議',
  'ｱ',
  '😀',
  'e\u0301',
  '\u2028',
]
export const character = fc.constantFrom(...alphabet)
const text = fc.array(character, { maxLength: 12 }).map(characters => characters.join(''))
export const texts = fc.array(text, { minLength: 6, maxLength: 6 })

const member = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'k',
    's',
    'K',
    'é',
    '会',
    '😀',
    '-',
    '^',
    '\\]',
    '\\[',
    '\\\\',
    '\\-',
    '.',
    '*',
    '\\n',
    ' ',
  ),
  fc.constantFrom('a-k', 'A-Z', '0-9', '\\x00-\\x1f', '\\x{3040}-\\x{9fff}', '\\x{80}-\\x{10ffff}', '!-/', '\\x00-é'),
  fc.constantFrom('\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\pL', '\\P{Greek}', '[:alpha:]', '[:^digit:]'),
)
const characterClass = fc
  .tuple(fc.constantFrom('[', '[^', '[]', '[^]'), fc.array(member, { minLength: 1, maxLength: 3 }))
  .map(([open, members]) => `${open}${members.join('')}]`)
const atom = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'a',
      'b',
      'k',
      's',
      'S',
      'x',
      'é',
      'σ',
      '会',
      '議',
      '😀',
      ' ',
      '%',
      '_',
      '"',
      '-',
      '}',
      ']',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom('.', '^', '$', '\\b', '\\B', '\\A', '\\z') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\d', '\\w', '\\s', '\\D', '\\W', '\\S', '\\pL', '\\PL', '\\p{Han}', '\\p{^Greek}'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '\\.',
      '\\\\',
      '\\[',
      '\\_',
      '\\x41',
      '\\x{1F600}',
      '\\101',
      '\\07',
      '\\n',
      '\\Qa*b\\E',
      '\\Q.',
      '{',
      '{,2}',
    ),
  },
  { weight: 3, arbitrary: characterClass },
)
/** Generates regular expressions in RE2's syntax; RE2 accepts most of them. */
export const { regex } = fc.letrec<{ regex: string }>(tie => ({
  regex: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    atom,
    fc.array(tie('regex'), { minLength: 1, maxLength: 3 }).map(parts => parts.join('')),
    fc.array(tie('regex'), { minLength: 2, maxLength: 3 }).map(parts => parts.join('|')),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?-i:', '(?s-i:', '(?P<n>', '(?i)(', '((?i)'), tie('regex'))
      .map(([open, inside]) => `${open}${inside})`),
    fc
      .tuple(
        tie('regex'),
        fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{0,1}', '{1,3}?', '{0}', '{17}', '{0,200}'),
      )
      .map(([inside, repeat]) => `(${inside})${repeat}`),
    fc.tuple(atom, fc.constantFrom('*', '+', '?', '{2}', '{2,}', '{1,3}', '{20}')).map(parts => parts.join('')),
  ),
}))
