import type { ReadContext } from 'tasuki/plugin'
import type { Language } from './language.ts'
import { definePage, type AnyPage, type MenuEntry, type Page } from './page.ts'
import { projectsOf, type PageProject, type PageRole } from './projects.ts'
import { rememberSwitches } from './switches.ts'
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
  rememberSwitches(ctx, request, project)
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

export interface ProjectPage<Data extends object> extends Omit<Page<Subject & Data>, 'menu' | 'load' | 'title'> {
  /** The name in the menu and the title. */
  name(language: Language): string
  readonly menu: Omit<MenuEntry, 'label'>
  /** Loads all further data of the page. @throws ToolError shown as an error page */
  load(ctx: ReadContext, subject: Subject, visit: UserVisit): Promise<Data>
}

/** Defines a page below `/projects/:key/` with an entry in the menu of the project or of its settings. */
export function defineProjectPage<Data extends object>({ name, menu, load, ...page }: ProjectPage<Data>): AnyPage {
  return definePage<Subject & Data>({
    ...page,
    menu: { ...menu, label: name },
    load: visit =>
      visit.read(async ctx => {
        const subject = await readSubject(ctx, visit)
        return { ...subject, ...(await load(ctx, subject, visit)) }
      }),
    title: ({ language }, { project }) => `${name(language)} – ${project.key}`,
  })
}
