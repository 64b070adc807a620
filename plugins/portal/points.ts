import { definePoint, Type, type ReadContext } from 'tasuki/plugin'
import type { Html } from './html.ts'
import type { Language } from './language.ts'
import type { AnyPage, Form } from './page.ts'
import { portalProjects } from './projects.ts'
import type { ShownItem } from './shown-item.ts'
import type { UserVisit } from './visit.ts'

export type {} from './entities.ts'

/** Pages of the portal; made by `definePage` and `defineOpenPage`. */
export const portalPages = definePoint<AnyPage>('portal.portalPages', {
  requires: ['path'],
  calls: ['load', 'title', 'view'],
  shape: Type.Object({
    name: Type.Optional(Type.Function([], Type.Unknown())),
    menu: Type.Optional(Type.Object({ place: Type.String({ pattern: '^(main|settings|project|project settings)$' }) })),
  }),
})

/** A form on a page of another plugin, by the path of that page; its own path contains the page's parameters. */
export interface PageForm {
  readonly page: string
  // oxlint-disable-next-line typescript/no-explicit-any -- field types are checked where the form is defined
  readonly form: Form<any>
}
export const portalForms = definePoint<PageForm>('portal.portalForms', { requires: ['page', 'form'] })

/** A panel of the item page. */
export interface ItemPanel<Data> {
  /** Sort order of panels. */
  readonly rank: number
  /** Loads data in at most one statement; the data of items_context_get is already available. */
  load(ctx: ReadContext, item: ShownItem): Promise<Data> | Data
  /** Renders the panel, with a second-level heading; null = nothing to show. Runs after all data is loaded. */
  view(visit: UserVisit, item: ShownItem, data: Data): Html | null | Promise<Html | null>
}
const itemPanelsPoint = definePoint<ItemPanel<unknown>>('portal.itemPanels', { calls: ['load', 'view'] })
export const itemPanels = Object.assign(
  <Data>(panel: ItemPanel<Data>) => itemPanelsPoint(panel as unknown as ItemPanel<unknown>),
  { point: itemPanelsPoint },
)

/** A link at the end of a page of another plugin. */
export interface PageLink {
  /** Path of the page. */
  readonly page: string
  label(language: Language): string
  /** @returns the link's URL for a visit of the page; null = hidden */
  to(visit: UserVisit): string | null
}
export const pageLinks = definePoint<PageLink>('portal.pageLinks', { requires: ['page'], calls: ['label', 'to'] })

/** All extension points, for the plugin's declaration. */
export const points = [portalPages, portalForms, pageLinks, itemPanels.point, portalProjects]
