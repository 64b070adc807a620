import { test, type TestContext, type TestOptions } from 'node:test'
import type { RequirementId } from './requirements.ts'

type Run = (t: TestContext) => Promise<void> | void

/**
 * Registers a test that proves requirements. Pass the ids as literals: `coverage.test.ts` reads them from the source.
 * @example verifies('items_get.not_found', 'an unknown reference is not found', async t => { … })
 */
export function verifies(ids: RequirementId | readonly RequirementId[], name: string, run: Run): void
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  name: string,
  options: TestOptions,
  run: Run,
): void
export function verifies(
  _ids: RequirementId | readonly RequirementId[],
  name: string,
  ...rest: [Run] | [TestOptions, Run]
): void {
  const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest
  void test(name, options, run)
}
