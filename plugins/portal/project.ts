import type { ReadContext, WriteContext } from 'tasuki/plugin'
import type { Fields, Input } from './fields.ts'
import type { Language } from './language.ts'
import { defineForm, definePage } from './page.ts'
import type { Answer, AnyPage, Form, FormDefinition, Page, Refusals, RefusalsOf } from './page.ts'
import { projectsOf, type PageProject, type PageRole } from './projects.ts'
import { cacheFeaturesOff } from './features-off.ts'
import { addressOf } from './ui/form.ts'
import { ITEM, refIn } from './ui/item-address.ts'
import type { UserVisit, Visit } from './visit.ts'

/** The project of a page, and the user's role in it. */
export interface Subject {
  readonly project: PageProject
  readonly role: PageRole
}

/** Finds the project of `/projects/:key`. @throws ToolError not_found, ambiguous_ref */
export async function readSubject(
  ctx: ReadContext,
  { params, request }: Pick<Visit, 'params' | 'request'>,
): Promise<Subject> {
  const { find, roleIn } = projectsOf(ctx)
  const project = await find(ctx, params['key']!)
  cacheFeaturesOff(ctx, request, project)
  return { project, role: roleIn(ctx, project) }
}

/** Finds the project of a page for its owner. @throws ToolError not_found, ambiguous_ref, forbidden */
export function ownProject(ctx: ReadContext, { params }: Pick<Visit, 'params'>): Promise<PageProject> {
  return projectsOf(ctx).find(ctx, params['key']!, { owner: true })
}

/** Returns the name of a project in URLs: with the owner for projects of others, because keys are unique only per owner. */
export function keyInAddress({ session }: UserVisit, { key, owner }: { key: string; owner: string }): string {
  return owner === session.email ? key : `${owner}/${key.slice(key.lastIndexOf('/') + 1)}`
}

export interface ProjectPage<Data extends object> extends Omit<Page<Subject & Data>, 'name' | 'load' | 'title'> {
  /** The name in the menu and the title. */
  name(language: Language): string
  /** Loads all further data of the page. @throws ToolError shown as an error page */
  load?(ctx: ReadContext, subject: Subject, visit: UserVisit): Promise<Data>
  /** Default: the name with the key of the project. */
  title?(visit: UserVisit, data: Subject & Data): string
}

/** Defines a page below `/projects/:key/`. */
export function defineProjectPage<Data extends object = object>({ load, ...page }: ProjectPage<Data>): AnyPage {
  return definePage<Subject & Data>({
    title: ({ language }, { project }) => `${page.name(language)} – ${project.key}`,
    ...page,
    load: visit =>
      visit.read(async ctx => {
        const subject = await readSubject(ctx, visit)
        return { ...subject, ...((await load?.(ctx, subject, visit)) as Data) }
      }),
  })
}

interface WritingForm<F extends Fields, R, S, T> extends Omit<FormDefinition<F, UserVisit, R>, 'run'> {
  /** Runs in one transaction. @throws Refusal or ToolError: the page is shown again, with the input and the errors */
  run(ctx: WriteContext, subject: S, input: Input<F>, visit: UserVisit): Promise<T>
  /**
   * Path of the next page, with an anchor where the user was; default: the path of a project's form, and the page of the item. Parameters
   * are filled in.
   */
  readonly to?: string
  /** Message that the next page shows once. */
  notice?(language: Language, input: Input<F>, result: T, visit: UserVisit): string
}

export interface ProjectForm<F extends Fields, R, T> extends WritingForm<F, R, PageProject, T> {
  /** Who may submit it; default: the owner. */
  readonly role?: 'owner' | 'editor'
}

/** Defines a form below `/projects/:key/` that changes the project and redirects to one of its pages. */
export function defineProjectForm<const F extends Fields, T, R extends RefusalsOf<R> = Refusals>({
  role = 'owner',
  to,
  run,
  notice,
  ...form
}: ProjectForm<F, R, T>): Form<F> {
  return defineForm<F, R>({
    ...form,
    async run(visit, input) {
      const demand = role === 'owner' ? { owner: true } : { write: true }
      const result = await visit.write(async ctx => {
        const project = await projectsOf(ctx).find(ctx, visit.params['key']!, demand)
        return run(ctx, project, input, visit)
      })
      return answerOf(visit, to ?? form.path, notice?.(visit.language, input, result, visit))
    },
  })
}

/** Defines a form below `ITEM` that changes the item and redirects to its page. */
export function defineItemForm<const F extends Fields, T, R extends RefusalsOf<R> = Refusals>({
  to = ITEM,
  run,
  notice,
  ...form
}: WritingForm<F, R, string, T>): Form<F> {
  return defineForm<F, R>({
    ...form,
    async run(visit, input) {
      const result = await visit.write(ctx => run(ctx, refIn(visit.params), input, visit))
      return answerOf(visit, to, notice?.(visit.language, input, result, visit))
    },
  })
}

function answerOf({ params }: Visit, path: string, notice: string | undefined): Answer {
  return { to: addressOf(path, params), ...(notice !== undefined && { notice }) }
}
