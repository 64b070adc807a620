import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SlotPool } from '../../../core/http/slot-pool.ts'

/** Returns the values of a pool, in the order of its slots. */
function held(pool: SlotPool<number>): number[] {
  const found: number[] = []
  pool.forEach(value => found.push(value))
  return found.toSorted((a, b) => a - b)
}

test('a pool holds the added values that were not removed, in no more slots than the maximum in use', () => {
  const step = fc.oneof(fc.constant('add' as const), fc.nat(20))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const pool = new SlotPool<number>()
      const places = new Map<number, number>()
      let [next, most] = [0, 0]
      for (const each of steps) {
        if (each === 'add') {
          const place = pool.add(next)
          assert.ok(![...places.values()].includes(place), 'two values are at one place')
          places.set(next++, place)
          most = Math.max(most, places.size)
          assert.ok(place < most)
        } else {
          const taken = [...places.keys()][each]
          if (taken === undefined) continue
          pool.remove(places.get(taken)!)
          places.delete(taken)
        }
        assert.deepEqual(held(pool), [...places.keys()])
      }
    }),
  )
})

test('an element may be removed during iteration', () => {
  const pool = new SlotPool<number>()
  const places = Array.from({ length: 10 }, (_, n) => pool.add(n))
  pool.forEach(value => value % 2 === 0 && pool.remove(places[value]!))
  assert.deepEqual(held(pool), [1, 3, 5, 7, 9])
})
