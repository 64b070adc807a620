import assert from 'node:assert/strict'
import { test } from 'node:test'
import { burndownOf } from '../../../plugins/sprints/portal/burndown.ts'

const sprint = { startDate: '2026-03-02', startedAt: null, endDate: '2026-03-06' }
const days = { until: '2026-03-03', dayOf: (at: string): string => at.slice(0, 10) }

test('the chart counts an unestimated item as the forecast does: by the lower median', () => {
  const items = [1, 8, null].map(points => ({ points, completedAt: null }))
  const { scope, unit } = burndownOf({ estimateUnit: 'points' }, sprint, items, days)!
  assert.deepEqual([scope, unit], [10, 'points'])
  const none = burndownOf({ estimateUnit: 'points' }, sprint, [{ points: null, completedAt: null }], days)!
  assert.deepEqual([none.scope, none.unit], [1, 'items'])
})
