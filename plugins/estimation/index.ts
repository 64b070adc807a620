import { definePlugin } from 'tasuki/plugin'
import { onGeneration } from '../templates/points.ts'
import { copyEstimates } from './estimate.repository.ts'
import { migrations } from './migrations/index.ts'
import { onItems } from './on-items.ts'
import { onSprints } from './on-sprints.ts'
import { exportEstimates, importEstimates } from './on-transfer.ts'
import { points } from './points.ts'
import { agileEstimateApply } from './tools/agile_estimate_apply.ts'
import { agileEstimateSuggest } from './tools/agile_estimate_suggest.ts'
import { agileImprovementSuggest } from './tools/agile_improvement_suggest.ts'
import { agileMetaPatch } from './tools/agile_meta_patch.ts'
import { agileRetroDraft } from './tools/agile_retro_draft.ts'
import { agileSprintForecast } from './tools/agile_sprint_forecast.ts'

export type {} from './entities.ts'
export type { Forecast } from './forecast/forecast.ts'

export const plugin = definePlugin({
  name: 'estimation',
  // Sprints are optional: tools that need them return an error without the plugin.
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['search', 'sprints', 'templates', 'transfer'],
  entities: () => import('./entities.ts'),
  points,
  migrations,
  tools: [
    agileEstimateSuggest,
    agileEstimateApply,
    agileMetaPatch,
    agileSprintForecast,
    agileImprovementSuggest,
    agileRetroDraft,
  ],
  contributes: [...onItems, ...onSprints, onGeneration(copyEstimates), exportEstimates, importEstimates],
})
