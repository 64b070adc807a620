/** Endings of stems of verbs. Compounds are written with or without them: 打ち合わせ, 打合わせ and 打合せ are one word. */
const STEM_ENDINGS = Array.from('いきぎしじちびみりえけげせぜてねべめれ')
/** Kana within a compound, and at its end. */
const INNER = [...STEM_ENDINGS, 'っ']
const LAST = [...STEM_ENDINGS, 'わ']
const HAN = /^\p{Script=Han}$/u

/** Returns the compound that begins at a character, without the kana in it: 打合 at 打ち合わせ. */
export function compoundAt(run: readonly string[], at: number): string | null {
  const [first = '', kana = '', second = ''] = run.slice(Math.max(at, 0), at + 3)
  return INNER.includes(kana) && HAN.test(first) && HAN.test(second) ? first + second : null
}

/** Returns the lexeme of texts that write a compound with kana. The plus sign keeps a quoted 高山 from finding 高い山. */
export function lexemeOfCompound(compound: string): string {
  return Array.from(compound).join('+')
}

/** Returns the lexemes of texts that write the compound around a pair of characters with other kana. */
export function otherSpellings(run: readonly string[], at: number): readonly string[] {
  const [before = '', first = '', second = ''] = [run[at - 1], run[at], run[at + 1]]
  if (HAN.test(first) && HAN.test(second)) return [lexemeOfCompound(first + second)]
  const within = [compoundAt(run, at), compoundAt(run, at - 1)].filter(compound => compound !== null)
  if (!LAST.includes(second)) return within
  const last = HAN.test(first) ? at : LAST.includes(first) && HAN.test(before) ? at - 1 : -1
  const ended = last > 0 && HAN.test(run[last - 1]!) ? run[last - 1]! + run[last]! : compoundAt(run, last - 2)
  return ended === null ? within : [...within, ended, lexemeOfCompound(ended)]
}

/** Returns the compound of a pair of characters with each kana, or without it. */
export function compoundTexts(run: readonly string[], at: number): readonly string[] {
  const [first, second] = [run[at]!, run[at + 1]!]
  if (HAN.test(first) && HAN.test(second)) return INNER.map(kana => first + kana + second)
  const compound = compoundAt(run, at)
  return compound === null ? [] : [compound]
}
