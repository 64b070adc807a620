/** Markup that is safe to insert into a page; created only by `html`. */
export class Html {
  readonly text: string
  private constructor(text: string) {
    this.text = text
  }
  /** For `html` and for libraries that output markup; never for text of users. */
  static trusted(text: string): Html {
    return new Html(text)
  }
}

/** The values of a template: text is escaped, lists are joined; null, undefined and false render nothing. */
export type Child = Html | string | number | null | undefined | false | readonly Child[]

/**
 * Builds markup with escaped values. Values are allowed only in text and in quoted attributes: never as a name, in an unquoted attribute,
 * or in a script or style.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Child[]): Html {
  let text = parts[0]!
  for (let n = 0; n < values.length; n++) text += markup(values[n]) + parts[n + 1]!
  return Html.trusted(text)
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

function markup(child: Child): string {
  if (child instanceof Html) return child.text
  if (child === null || child === undefined || child === false) return ''
  // Concatenation, unlike `join`, copies the text once for the page instead of once for each list that it is in.
  if (typeof child === 'object') return child.reduce<string>((text, each) => text + markup(each), '')
  return escape(String(child))
}

/** Character by character, since a function for each match takes five times as long for a text of them. */
function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
