import type { All, ErrorCode, ExportedFile } from 'tasuki/plugin'
import type { Body, Fields, Input } from './fields.ts'
import { html, type Child, type Html } from './html.ts'
import type { Language } from './language.ts'
import type { Controls } from './ui/controls.ts'
import { buttonView, formView, type ButtonOptions, type ViewOptions } from './ui/form.ts'
import type { UserVisit, Visit } from './visit.ts'

/** A page of the portal. Signed-in users see it at `path`; its forms have their own paths. */
export interface Page<Data, V extends Visit = UserVisit> {
  /** In Fastify's route syntax: `/projects/:key`. */
  readonly path: string
  /** Label of the menu entry, and the title if the page has no `title`. */
  name?(language: Language): string
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
}

/** The options of `definePage`: a page has a `title` or a `name`, and a page in a menu has a `name`. */
export type PageDefinition<Data, V extends Visit = UserVisit> = Omit<Page<Data, V>, 'name' | 'menu' | 'title'> &
  (
    | (Required<Pick<Page<Data, V>, 'name'>> & Partial<Pick<Page<Data, V>, 'menu' | 'title'>>)
    | (Pick<Page<Data, V>, 'title'> & { readonly name?: never; readonly menu?: never })
  )

/** The options of `defineForm`: an action of a page. */
export interface FormDefinition<F extends Fields, V extends Visit = UserVisit, R = Refusals> {
  /** The path to post to; it contains every parameter of its page's path. */
  readonly path: string
  readonly fields: F
  /** Further fields, which plugins add; `run` gets their values with the others. */
  more?(all: All): Fields
  /**
   * Advice for its errors in every language, if the sentence of the error code is not specific enough; English follows the tool's
   * message, other languages precede it. An unknown code or a missing sentence is a type error.
   */
  readonly refusals?: TranslatedRefusals<R>
  /**
   * Asks for confirmation of the user's identity first, by password or, without one, by a fresh sign-in at the provider. `recent` skips
   * this within ten minutes in the same session; `always` asks for the password each time.
   */
  readonly confirm?: 'recent' | 'always'
  /** @throws Refusal or ToolError: the page is shown again, with the entered values and the problems */
  run(visit: V, input: Input<F>): Promise<Answer>
}

/** A form of a page: a POST with a proof that this user requested it on this page. */
export interface Form<F extends Fields, V extends Visit = UserVisit> extends FormDefinition<F, V> {
  /** Renders the form; `content` returns what it contains. */
  view(visit: Visit, content: (form: Controls<keyof F & string>) => Html, options?: ViewOptions): Html
  /** Renders a form without visible fields as a button. */
  button(visit: Visit, label: string, options?: ButtonOptions<keyof F & string>): Html
}

/** Sentences by error code and field of a ToolError: `conflict key`. */
export type Refusals = Readonly<Record<`${ErrorCode} ${string}`, string>>
export type TranslatedRefusals<R = Refusals> = { readonly en: R } & Readonly<
  Record<Exclude<Language, 'en'>, Readonly<Record<keyof NoInfer<R>, string>>>
>
/** Keys with known error codes. */
export type RefusalsOf<R> = { readonly [K in keyof R]: K extends keyof Refusals ? string : never }

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
export function definePage<Data>(page: PageDefinition<Data>): AnyPage {
  return { ...withTitle(page), open: false }
}

/** Defines a page for everyone. */
export function defineOpenPage<Data>(page: PageDefinition<Data, Visit>): AnyPage {
  return { ...withTitle(page), open: true }
}

/** Defines an address that redirects to another one. */
export function defineRedirect({
  to,
  ...page
}: Pick<Page<never>, 'path' | 'name' | 'menu'> & { to(visit: UserVisit): Promise<string> | string }): AnyPage {
  return {
    ...page,
    load: async (visit: UserVisit) => new Redirect(await to(visit)),
    title: () => '',
    view: () => html``,
    open: false,
  }
}

function withTitle<Data, V extends Visit>(page: PageDefinition<Data, V>): Page<Data, V> {
  const { name } = page
  return name ? { title: ({ language }) => name(language), ...page } : page
}

// oxlint-disable-next-line typescript/no-explicit-any -- data and visit are checked where the page is defined
export type AnyPage = Page<any, any> & { readonly open: boolean }

// oxlint-disable-next-line typescript/no-explicit-any -- a form's fields and visit are checked where it is defined
export type AnyForm = Form<any, any>

/** Defines a form of a page for signed-in users. */
export function defineForm<const F extends Fields, R extends RefusalsOf<R> = Refusals>(
  form: FormDefinition<F, UserVisit, R>,
): Form<F> {
  return withViews(form)
}

/** Defines a form of an open page. */
export function defineOpenForm<const F extends Fields>(form: FormDefinition<F, Visit>): Form<F, Visit> {
  return withViews(form)
}

function withViews<F extends Fields, V extends Visit, R>(form: FormDefinition<F, V, R>): Form<F, V> {
  return {
    ...(form as FormDefinition<F, V>),
    view: (visit, content, options) => formView(visit, form, content, options),
    button: (visit, label, options) => buttonView(visit, form, label, options),
  }
}

/** An error of an input; the page is shown again. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Problems by field; the empty name is the whole form. */
  readonly problems: Readonly<Record<string, Child>>
  readonly status: number
  /** Values that the form shows instead of the entered ones. */
  readonly body: Body
  constructor(problems: Readonly<Record<string, Child>>, status = 422, body: Body = {}) {
    super(`refused: ${Object.keys(problems).join(', ')}`)
    this.problems = problems
    this.status = status
    this.body = body
  }
}
