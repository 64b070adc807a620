import { publishChanges, toItemChange, toItemOfRow } from '../items/index.ts'
import { keysOfSplit, sprintForecasts, sprintPoints, sprintSplits } from '../sprints/points.ts'
import { divideEstimates, sprintPointsOf } from './estimate.repository.ts'
import { forecastSprint } from './forecast/forecast.ts'

/** A split item keeps the done share of its estimate, and its continuation gets the rest. */
const splitEstimates = sprintSplits(async (ctx, splits) => {
  const shares = splits.map(split => ({ ...keysOfSplit(split), share: split.doneShare }))
  const divided = new Map((await divideEstimates(ctx, shares)).map(({ itemId, ...change }) => [itemId, change]))
  const changed = splits.filter(({ original }) => divided.has(original.id))
  const changes = changed.map(({ original }) =>
    toItemChange(toItemOfRow(original), 'item.estimate.changed', divided.get(original.id)),
  )
  await publishChanges(ctx, changes)
})

export const onSprints = [sprintPoints(sprintPointsOf), splitEstimates, sprintForecasts(forecastSprint)]
