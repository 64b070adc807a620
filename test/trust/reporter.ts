import type { TestEvent } from 'node:test/reporters'

/** A finished test, as a line of JSON. */
export interface Outcome {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
}

/** A reporter of node:test for `npm run trust`: the outcome of each test, by its name. */
// oxlint-disable-next-line import/no-default-export -- node loads reporters by their default export
export default async function* reportOutcomes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const skipped = data.skip !== undefined && data.skip !== false
    const outcome: Outcome = {
      name: data.name,
      outcome: skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed',
    }
    yield `${JSON.stringify(outcome)}\n`
  }
}
