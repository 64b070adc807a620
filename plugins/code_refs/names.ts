import { normalizeText } from 'tasuki/worker'
import type { CodeChange } from './hosts/delivery.ts'

/** Maximum number of mentions in one change; release notes mention hundreds. */
const MAX_MENTIONS = 1000
/** `KEY#12`, and further references after a slash. A bare `#12` is an issue of the host, `acme/app#12` an issue of a repository. */
const NUMBERED = /(?:(?<![\w#/.-])|(?<=\w#\d{1,9}\/))([A-Za-z]\w{0,15}#\d{1,9})(?!\w)/g
/** `PREFIX-12`, which counts only if a numbering series has that prefix; names of branches continue with words. */
const DISPLAY = /(?<![\w#.-])([A-Za-z]\w{0,15}-\d{1,9})(?![A-Za-z0-9]|-\d)/g
/** Both forms in the name of a branch, where `/`, `-`, `_` and `.` separate them from other words. */
const IN_BRANCH = /(?<![A-Za-z0-9#])(?=([A-Za-z]\w{0,15}[#-]\d{1,9})(?![A-Za-z0-9]))/g

/** Returns the texts in a change that may name items, upper case. */
export function findNames({ texts, branch }: Pick<CodeChange, 'texts' | 'branch'>): string[] {
  const found = new Set<string>()
  for (const [, name] of matchNames(branch ?? '', texts.join('\n'))) {
    if (found.size >= MAX_MENTIONS) break
    found.add(name!.toUpperCase())
  }
  return [...found]
}

function* matchNames(branch: string, text: string): Generator<RegExpExecArray> {
  yield* normalizeText(branch).matchAll(IN_BRANCH)
  const plain = normalizeText(text)
  yield* plain.matchAll(NUMBERED)
  yield* plain.matchAll(DISPLAY)
}
