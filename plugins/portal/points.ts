import { definePoint } from 'tasuki/plugin'
import type { AnyPage } from './page.ts'

/** Pages of the portal; made by `definePage` and `defineOpenPage`. */
export const portalPages = definePoint<AnyPage>('portal.portalPages')

/** All points, for the plugin's declaration. */
export const points = [portalPages]
