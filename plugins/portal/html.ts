/** A piece of markup ends with the value that makes it longer than this many characters. */
const PIECE = 100_000

/** Markup that is safe to insert into a page; created only by `html`. */
export class Html {
  /** Pages of some megabytes are kept in pieces: one text of them is copied whole, which takes tens of milliseconds. */
  readonly pieces: readonly string[]
  private constructor(pieces: readonly string[]) {
    this.pieces = pieces
  }
  get text(): string {
    return this.pieces.join('')
  }
  /** For `html` and for libraries that output markup; never for text of users. */
  static trusted(...pieces: readonly string[]): Html {
    return new Html(pieces)
  }
}

/** The values of a template: text is escaped, lists are joined; null, undefined and false render nothing. */
export type Child = Html | string | number | null | undefined | false | readonly Child[]

/**
 * Builds markup with escaped values. Values are allowed only in text and in quoted attributes: never as a name, in an unquoted attribute,
 * or in a script or style.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Child[]): Html {
  const pieces = [parts[0]!]
  for (let n = 0; n < values.length; n++) {
    append(pieces, values[n])
    add(pieces, parts[n + 1]!)
  }
  return Html.trusted(...pieces)
}

/** Appends a text to the last piece. Texts are concatenated: `join` would copy each once for every list that it is in. */
function add(pieces: string[], text: string): void {
  if (pieces.at(-1)!.length > PIECE) pieces.push(text)
  else pieces[pieces.length - 1] += text
}

/** Builds attributes from an object: true gives the bare name; null, undefined and false omit it. */
export function attributes(record: Readonly<Record<string, string | number | boolean | null | undefined>>): Html {
  const parts = Object.entries(record).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) return []
    return value === true ? name : `${name}="${escape(String(value))}"`
  })
  // A space before each separates attributes however the template is written.
  return Html.trusted(parts.map(part => ` ${part}`).join(''))
}

function append(pieces: string[], child: Child): void {
  if (child === null || child === undefined || child === false) return
  if (child instanceof Html) for (const piece of child.pieces) add(pieces, piece)
  else if (typeof child === 'object') for (const each of child) append(pieces, each)
  else add(pieces, escape(String(child)))
}

/** Character by character, since a function for each match takes five times as long for a text of them. */
const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
