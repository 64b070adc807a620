/** Markup that is safe to put into a page; made by `html` alone. */
export class Html {
  readonly text: string
  private constructor(text: string) {
    this.text = text
  }
  /** For `html` and for libraries whose output is markup; never for text of users. */
  static trusted(text: string): Html {
    return new Html(text)
  }
}

/** What may stand in a template: text is escaped, lists are joined, and nothing is shown of null, undefined and false. */
export type Child = Html | string | number | null | undefined | false | readonly Child[]

/**
 * Markup with escaped values. A value stands in text or inside a quoted attribute, nowhere else:
 * never as a name, in an unquoted attribute, or in a script or style.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Child[]): Html {
  let text = parts[0]!
  for (let n = 0; n < values.length; n++) text += markup(values[n]) + parts[n + 1]!
  return Html.trusted(text)
}

/** Attributes from an object: true gives the bare name, null, undefined and false leave it out. */
export function attributes(given: Readonly<Record<string, string | number | boolean | null | undefined>>): Html {
  const parts = Object.entries(given).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) return []
    return value === true ? name : `${name}="${escape(String(value))}"`
  })
  // A space before each, so that nothing runs together however the template is written.
  return Html.trusted(parts.map(part => ` ${part}`).join(''))
}

function markup(child: Child): string {
  if (child instanceof Html) return child.text
  if (child === null || child === undefined || child === false) return ''
  if (typeof child === 'object') return child.map(markup).join('')
  return escape(String(child))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
function escape(text: string): string {
  return text.replace(/[&<>"']/g, letter => ENTITIES[letter]!)
}
