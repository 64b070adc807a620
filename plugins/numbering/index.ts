import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { seriesCreate, seriesFreeze, seriesList } from './commands.ts'
import { migrations } from './migrations/index.ts'
import { onItems } from './on-items.ts'
import { exportNumbers, importNumbers } from './on-transfer.ts'
import { settings } from './settings.ts'
import { customNumbersAssign } from './tools/custom_numbers_assign.ts'
import { customNumbersUnassign } from './tools/custom_numbers_unassign.ts'
import { customSequencesList } from './tools/custom_sequences_list.ts'
import { itemCustomNumbersList } from './tools/item_custom_numbers_list.ts'

export type {} from './entities.ts'
export {
  createSeries,
  FREEZE_LEVELS,
  lockSeries,
  PREFIX_PATTERN,
  series,
  SERIES_KEY_PATTERN,
  seriesName,
  toSeriesJson,
  updateSeries,
} from './series.ts'
export type { FreezeLevel, SeriesRow } from './series.repository.ts'

export const plugin = definePlugin({
  name: 'numbering',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['portal', 'transfer'],
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  commands: [seriesCreate, seriesFreeze, seriesList],
  tools: [customSequencesList, itemCustomNumbersList, customNumbersAssign, customNumbersUnassign],
  contributes: [
    ...onItems,
    exportNumbers,
    importNumbers,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
