import { formatCount } from '../plugin/format-count.ts'

/** Invisible characters that a model still reads: tags, bidirectional overrides, and runs longer than those of any script or emoji. */
const HIDDEN =
  /[\u{E0000}-\u{E007F}]+|[\u202A-\u202E\u2066-\u2069]+|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}\u061C\u115F\u1160\u180E\u200B-\u200F\u2060-\u2064\u206A-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]{4,}|[\u200B\u2060-\u2064\uFEFF\uFFF9-\uFFFB]{2,}|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2,}/gu
/** Cheap pre-check, because nearly no text contains such characters; a text in Latin-1 takes no time. */
export const MAY_BE_HIDDEN =
  /[\u202A-\u202E\u2060-\u206F\u200B-\u200F\u061C\u115F\u1160\u180E\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\uDB40]|[\uFE00-\uFE0F]/
/** The flags of England, Scotland and Wales consist of a black flag and tag characters. */
const FLAG = /\u{1F3F4}$/u
const FLAG_TAGS = new Set(['gbeng', 'gbsct', 'gbwls'].map(code => tagsOf(code) + '\u{E007F}'))

/** Replaces invisible characters by a visible note, so that no text carries instructions that only a model reads. */
export function showHiddenCharacters(text: string): string {
  return text.replace(HIDDEN, (found, at: number) => {
    if (FLAG_TAGS.has(found) && FLAG.test(text.slice(Math.max(0, at - 2), at))) return found
    return `[${formatCount(Array.from(found).length, 'hidden character')}]`
  })
}

function tagsOf(letters: string): string {
  return Array.from(letters, letter => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('')
}
