import { keysOfSplit, sprintForecasts, sprintPoints, sprintSplits } from '../sprints/points.ts'
import { divideEstimates, sprintPointsOf } from './estimate.repository.ts'
import { forecastSprint } from './forecast/forecast.ts'

/** A split item keeps the done share of its estimate, and its continuation gets the rest. */
const splitEstimates = sprintSplits((ctx, splits) =>
  divideEstimates(
    ctx,
    splits.map(split => ({ ...keysOfSplit(split), share: split.doneShare })),
  ),
)

export const onSprints = [sprintPoints(sprintPointsOf), splitEstimates, sprintForecasts(forecastSprint)]
