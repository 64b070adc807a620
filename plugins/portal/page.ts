import type { ErrorCode, ExportedFile } from 'tasuki/plugin'
import type { Fields, Input } from './fields.ts'
import type { Child, Html } from './html.ts'
import type { Language } from './language.ts'
import type { UserVisit, Visit } from './visit.ts'

/** A page of the portal. Signed-in users see it at `path`; its forms have their own paths. */
export interface Page<Data, V extends Visit = UserVisit> {
  /** In Fastify's route syntax: `/projects/:key`. */
  readonly path: string
  /** The navigation entry; pages without one are reached by links. */
  readonly menu?: MenuEntry
  /** A single question, centred on an otherwise empty page. */
  readonly alone?: boolean
  /** Restricts the page and its forms to administrators; other users get no menu entry and an error. */
  readonly administrators?: boolean
  /** Uses the full width of the window. */
  readonly wide?: boolean
  /** Loads all data of the page in as few statements as possible, or returns a redirect. @throws ToolError shown as an error page */
  load(visit: V): Promise<Data | Redirect>
  title(visit: V, data: Data): string
  view(visit: V, data: Data): Html
  // oxlint-disable-next-line typescript/no-explicit-any -- field types are checked where the form is defined
  readonly forms?: readonly Form<any, V>[]
}

export interface MenuEntry {
  /**
   * `main` is the navigation bar, `settings` the list within the settings; `project` is above every page of a project (path
   * `/projects/:key/…`), and `project settings` next to its settings pages.
   */
  readonly place: 'main' | 'settings' | 'project' | 'project settings'
  /** Sort order of entries; `/` redirects to the first of `main`. */
  readonly rank: number
  /** The entry is hidden in projects with this feature off. */
  readonly feature?: string
  label(language: Language): string
}

/** An action of a page: a POST with a proof that this user requested it on this page. */
export interface Form<F extends Fields, V extends Visit = UserVisit> {
  /** The path to post to; it contains every parameter of its page's path. */
  readonly path: string
  readonly fields: F
  /** Advice for its errors, if the sentence of the error code is not specific enough; made by `defineRefusals`. */
  readonly refusals?: (language: Language) => Refusals
  /**
   * Asks for confirmation of the user's identity first, by password or, without one, by a fresh sign-in at the provider. `recent` skips
   * this within ten minutes in the same session; `always` asks for the password each time.
   */
  readonly confirm?: 'recent' | 'always'
  /** @throws Refusal or ToolError: the page is shown again, with the entered values and the problems */
  run(visit: V, input: Input<F>): Promise<Answer>
}

/** Sentences by error code and field of a ToolError: `conflict key`. */
export type Refusals = Readonly<Partial<Record<`${ErrorCode} ${string}`, string>>>

export type Answer =
  /** The usual answer: redirects to a page, which may show a notice once. */
  | { readonly to: string; readonly notice?: string }
  /** A page without a URL, for content that can be shown only now. */
  | { readonly title: string; readonly view: Html }
  /** A download. */
  | { readonly file: ExportedFile }
  /** Leaves the portal through a page that redirects by itself: browsers apply `form-action` to redirects after a post. */
  | { readonly title: string; readonly onward: string }

/** A redirect returned by `load`. */
export class Redirect {
  readonly to: string
  constructor(to: string) {
    this.to = to
  }
}

/** Defines a page for signed-in users; others are sent to the sign-in page first. */
export function definePage<Data>(page: Page<Data>): AnyPage {
  return { ...page, open: false }
}

/** Defines a page for everyone. */
export function defineOpenPage<Data>(page: Page<Data, Visit>): AnyPage {
  return { ...page, open: true }
}

// oxlint-disable-next-line typescript/no-explicit-any -- data and visit are checked where the page is defined
export type AnyPage = Page<any, any> & { readonly open: boolean }

export function defineForm<const F extends Fields>(form: Form<F>): Form<F> {
  return form
}

/**
 * Defines advice for errors of a form in every language; English follows the tool's message, other languages precede it. An unknown code or
 * a missing sentence is a type error.
 */
export function defineRefusals<T extends { readonly [K in keyof T]: K extends keyof Refusals ? string : never }>(
  en: T,
  others: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<keyof T, string>>>>,
): (language: Language) => Refusals {
  return language => (language === 'en' ? en : others[language])
}

/** Defines a form of an open page. */
export function defineOpenForm<const F extends Fields>(form: Form<F, Visit>): Form<F, Visit> {
  return form
}

/** An error of an input; the page is shown again. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Problems by field; the empty name is the whole form. */
  readonly problems: Readonly<Record<string, Child>>
  readonly status: number
  constructor(problems: Readonly<Record<string, Child>>, status = 422) {
    super(`refused: ${Object.keys(problems).join(', ')}`)
    this.problems = problems
    this.status = status
  }
}
