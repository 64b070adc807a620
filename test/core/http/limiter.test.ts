import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createLimiter } from '../../../core/http/limiter.ts'

describe('the limiter', () => {
  test('allows a burst and then the rate, for each key separately', () => {
    let at = 0
    const limiter = createLimiter('calls', 10, 60, () => new Date(at))
    const taken = (count: number, key = 'a') =>
      Array.from({ length: count }, () => limiter.take(key)).filter(({ allowed }) => allowed).length
    assert.equal(taken(30), 10)
    assert.equal(taken(30, 'b'), 10)
    at += 6000
    assert.equal(taken(30), 1)
    at += 60_000
    assert.equal(taken(30), 10)
  })

  test('delays no caller for longer than the window when the clock is set back', () => {
    let at = 10_000_000
    const limiter = createLimiter('calls', 10, 60, () => new Date(at))
    for (let n = 0; n < 11; n++) limiter.take('a')
    at -= 3_600_000
    assert.equal(limiter.isExhausted('a'), true)
    assert.equal(limiter.take('a').retrySeconds, 6)
    at += 6000
    assert.equal(limiter.isExhausted('a'), false)
    assert.ok(limiter.take('a').allowed)
  })

  test('allows a request after the time in its answer, and not earlier', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 120 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 80 }),
        (most, seconds, pauses) => {
          let at = 0
          const limiter = createLimiter('calls', most, seconds, () => new Date(at))
          for (const pause of pauses) {
            at += pause
            limiter.take('a')
          }
          let last = limiter.take('a')
          while (last.allowed) last = limiter.take('a')
          assert.equal(last.remaining, 0)
          at += last.retrySeconds * 1000
          assert.ok(limiter.take('a').allowed)
        },
      ),
    )
  })

  test('allows at most the burst plus the rate, whatever the pauses', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 200 }), pauses => {
        let at = 0
        let through = 0
        const limiter = createLimiter('calls', 10, 10, () => new Date(at))
        for (const pause of pauses) {
          at += pause
          if (limiter.take('a').allowed) through++
        }
        assert.ok(through <= 10 + at / 1000)
      }),
    )
  })

  test('reports its state in the headers of the draft', () => {
    const limiter = createLimiter('calls', 2, 10, () => new Date(0))
    assert.deepEqual(limiter.headers(limiter.take('a')), {
      'ratelimit-policy': '"calls";q=2;w=10',
      ratelimit: '"calls";r=1;t=5',
    })
    limiter.take('a')
    assert.deepEqual(limiter.headers(limiter.take('a')), {
      'ratelimit-policy': '"calls";q=2;w=10',
      ratelimit: '"calls";r=0;t=10',
      'retry-after': '5',
    })
  })
})
