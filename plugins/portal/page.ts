import type { ErrorCode, ExportedFile } from 'tasuki/plugin'
import type { Fields, Input } from './fields.ts'
import type { Child, Html } from './html.ts'
import type { Language } from './language.ts'
import type { UserVisit, Visit } from './visit.ts'

/** A page of the portal. The signed-in person sees it at `path`; its forms post to addresses of their own. */
export interface Page<Data, V extends Visit = UserVisit> {
  /** As Fastify writes routes: `/projects/:key`. */
  readonly path: string
  /** Where it stands in the navigation; pages without are reached from others. */
  readonly menu?: MenuEntry
  /** A single question, which stands alone in the middle. */
  readonly alone?: boolean
  /** It, and its forms, are for administrators alone; others get no menu entry, and are told so. */
  readonly administrators?: boolean
  /** Uses the whole width of the window. */
  readonly wide?: boolean
  /** Everything that is shown, in as few statements as there can be; or a redirect. @throws ToolError shown as an error page */
  load(visit: V): Promise<Data | Redirect>
  title(visit: V, data: Data): string
  view(visit: V, data: Data): Html
  // oxlint-disable-next-line typescript/no-explicit-any -- field types are checked where the form is defined
  readonly forms?: readonly Form<any, V>[]
}

export interface MenuEntry {
  /**
   * `main` is the bar that everybody sees, `settings` is listed within the settings; `project` stands above every page of a project
   * (path `/projects/:key/…`), and `project settings` beside those of its settings.
   */
  readonly place: 'main' | 'settings' | 'project' | 'project settings'
  /** Entries are in this order; the first of `main` is what `/` leads to. */
  readonly rank: number
  /** It is not shown for projects in which this is switched off. */
  readonly feature?: string
  label(language: Language): string
}

/** Something that a page lets one do: a POST with a proof that it was asked for in this page by this person. */
export interface Form<F extends Fields, V extends Visit = UserVisit> {
  /** Where it is posted; it has every parameter of its page's path. */
  readonly path: string
  readonly fields: F
  /** What to do next about its refusals, where the sentence of the error code alone would not say; made by `defineRefusals`. */
  readonly refusals?: (language: Language) => Refusals
  /**
   * Asks the person to prove who they are before it runs, by the password, or where there is none by a fresh sign-in at the provider:
   * `recent` unless that was done in this session within ten minutes, `always` asks for the password each time.
   */
  readonly confirm?: 'recent' | 'always'
  /** @throws Refusal or ToolError: the page is shown again, with what was typed and what is wrong */
  run(visit: V, input: Input<F>): Promise<Answer>
}

/** Sentences by error code and field of a ToolError: `conflict key`. */
export type Refusals = Readonly<Partial<Record<`${ErrorCode} ${string}`, string>>>

export type Answer =
  /** The usual: go on to a page, which may show a notice once. */
  | { readonly to: string; readonly notice?: string }
  /** A page that exists this once, for what can be shown only now. */
  | { readonly title: string; readonly view: Html }
  /** Something to keep. */
  | { readonly file: ExportedFile }
  /** Leaves the portal, by a page that moves on by itself: browsers hold redirects after a post against `form-action`. */
  | { readonly title: string; readonly onward: string }

/** What `load` returns to send the browser elsewhere. */
export class Redirect {
  readonly to: string
  constructor(to: string) {
    this.to = to
  }
}

/** A page for whoever is signed in; others are sent to sign in first. */
export function definePage<Data>(page: Page<Data>): AnyPage {
  return { ...page, open: false }
}

/** A page for everybody. */
export function defineOpenPage<Data>(page: Page<Data, Visit>): AnyPage {
  return { ...page, open: true }
}

// oxlint-disable-next-line typescript/no-explicit-any -- data and visit are checked where the page is defined
export type AnyPage = Page<any, any> & { readonly open: boolean }

export function defineForm<const F extends Fields>(form: Form<F>): Form<F> {
  return form
}

/**
 * What to do next about refusals of a form, in every language; English stands after what the tool said, other languages before it.
 * A code that does not exist, or a sentence that a language lacks, is a type error.
 */
export function defineRefusals<T extends { readonly [K in keyof T]: K extends keyof Refusals ? string : never }>(
  en: T,
  others: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<keyof T, string>>>>,
): (language: Language) => Refusals {
  return language => (language === 'en' ? en : others[language])
}

/** A form of an open page. */
export function defineOpenForm<const F extends Fields>(form: Form<F, Visit>): Form<F, Visit> {
  return form
}

/** Says what is wrong with an input; the page is shown again. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** What to show by field; the empty name is the form as a whole. */
  readonly problems: Readonly<Record<string, Child>>
  readonly status: number
  constructor(problems: Readonly<Record<string, Child>>, status = 422) {
    super(`refused: ${Object.keys(problems).join(', ')}`)
    this.problems = problems
    this.status = status
  }
}
