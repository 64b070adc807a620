import { definePoint, type ReadContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import type { SprintClosing, SprintItem, SprintRow } from '../sprints/index.ts'
import type { Html } from './html.ts'
import type { AnyPage, Form } from './page.ts'
import type { ShownItem } from './pages/items/shown-item.ts'
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
  /** With a heading of the second level; null = there is nothing to show. */
  view(visit: UserVisit, item: ShownItem, data: Data): Html | null
}
const itemPanelsPoint = definePoint<ItemPanel<unknown>>('portal.itemPanels')
export const itemPanels = Object.assign(
  <Data>(panel: ItemPanel<Data>) => itemPanelsPoint(panel as unknown as ItemPanel<unknown>),
  { point: itemPanelsPoint },
)

/** Days (`YYYY-MM-DD`) by which a sprint is done in half, in 8 of 10 and in 19 of 20 runs; null = it cannot be told, or not within a year. */
export interface ForecastDays {
  readonly p50: string | null
  readonly date: string | null
  readonly p95: string | null
  /** Chance to be done by the planned end; null when it has none. */
  readonly confidence: number | null
  /** Why there are no days. */
  readonly reason: string | null
}
/** Tells when an open sprint will be done, for its page; the first contribution counts. */
export type SprintForecast = (
  ctx: ReadContext,
  project: ProjectRow,
  sprint: SprintRow,
  known: { readonly closings: readonly SprintClosing[]; readonly items: readonly SprintItem[] },
) => Promise<ForecastDays>
export const sprintForecasts = definePoint<SprintForecast>('portal.sprintForecasts')

/** All points, for the plugin's declaration. */
export const points = [portalPages, portalForms, itemPanels.point, sprintForecasts]
