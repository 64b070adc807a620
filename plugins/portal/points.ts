import { definePoint, type ReadContext } from 'tasuki/plugin'
import type { Html } from './html.ts'
import type { Language } from './language.ts'
import type { AnyPage, Form } from './page.ts'
import { portalProjects } from './projects.ts'
import type { ShownItem } from './shown-item.ts'
import type { UserVisit } from './visit.ts'

/** Pages of the portal; made by `definePage` and `defineOpenPage`. */
export const portalPages = definePoint<AnyPage>('portal.portalPages')

/** A form that stands on a page of somebody else, by the path of that page; its own path has the page's parameters. */
export interface PageForm {
  readonly page: string
  // oxlint-disable-next-line typescript/no-explicit-any -- field types are checked where the form is defined
  readonly form: Form<any>
}
export const portalForms = definePoint<PageForm>('portal.portalForms')

/** A part of the page of an item. */
export interface ItemPanel<Data> {
  /** Parts are in this order. */
  readonly rank: number
  /** In one statement at most; what items_context_get has is there already. */
  load(ctx: ReadContext, item: ShownItem): Promise<Data> | Data
  /** With a heading of the second level; null = there is nothing to show. It runs after everything was read. */
  view(visit: UserVisit, item: ShownItem, data: Data): Html | null | Promise<Html | null>
}
const itemPanelsPoint = definePoint<ItemPanel<unknown>>('portal.itemPanels')
export const itemPanels = Object.assign(
  <Data>(panel: ItemPanel<Data>) => itemPanelsPoint(panel as unknown as ItemPanel<unknown>),
  { point: itemPanelsPoint },
)

/** A link at the end of a page of somebody else. */
export interface PageLink {
  /** Path of that page. */
  readonly page: string
  label(language: Language): string
  /** @returns the address that it leads to, of a visit of that page; null = it is not shown */
  to(visit: UserVisit): string | null
}
export const pageLinks = definePoint<PageLink>('portal.pageLinks')

/** All points, for the plugin's declaration. */
export const points = [portalPages, portalForms, pageLinks, itemPanels.point, portalProjects]
