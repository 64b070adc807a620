import assert from 'node:assert/strict'
import { assert as check, asyncProperty, type Arbitrary } from 'fast-check'
import { after, before, test, type TestContext } from 'node:test'
import type { CompiledTool } from '../core/runtime/registry/types.ts'
import { ERROR_CODES } from 'tasuki/plugin'
import { anyArguments, shapedArguments, type JsonSchema } from './arguments.ts'
import { forEachEngine } from './engines.ts'
import { INTERNALS, startTarget, toolCall, type Target } from './hostile.ts'

type Args = Record<string, unknown>

/** `TEST_EFFORT=10` tries ten times as many arguments. Each engine gets different arguments. */
const EFFORT = Number(process.env['TEST_EFFORT'] ?? 1)

forEachEngine('edge-case arguments', engine => {
  let target: Target
  before(async () => {
    target = await startTarget(engine)
  })
  after(() => target.close())

  /** Calls each tool with many arguments. The answer must be a result or a refusal, never an internal error. */
  const eachTool = async (
    t: TestContext,
    numRuns: number,
    argumentsOf: (tool: CompiledTool) => Arbitrary<Args>,
    verify: (tool: CompiledTool, result: { isError?: boolean; structuredContent?: object }) => void,
  ): Promise<void> => {
    for (const tool of target.host.registry.tools.values()) {
      await t.test(tool.name, async () => {
        const property = asyncProperty(argumentsOf(tool), async args => {
          const { status, text, body } = await target.send({ body: toolCall(tool.name, args) })
          assert.equal(status, 200, text.slice(0, 300))
          assert.doesNotMatch(text, INTERNALS)
          if (body.result.isError === true) checkRefusal(body.result)
          verify(tool, body.result)
        })
        await check(property, { numRuns: numRuns * EFFORT })
      })
    }
  }

  test('random JSON is refused by every tool that needs an argument, and nothing is written', async t => {
    const rows = await target.rowCounts()
    await eachTool(
      t,
      6,
      // Random arguments may be valid, such as the name of a new workflow.
      tool =>
        anyArguments(Object.keys(tool.input.properties)).filter(args => tool.class === 'R' || !tool.check.Check(args)),
      (tool, { isError }) => assert.ok(isError === true || tool.class === 'R', 'it was taken'),
    )
    assert.deepEqual(await target.rowCounts(), rows)
  })

  test('unusual arguments that match the schema cause a valid result or a refusal', async t => {
    await eachTool(
      t,
      12,
      tool => shapedArguments(tool.input as JsonSchema),
      ({ checkOutput }, { isError, structuredContent }) => {
        const problem = isError === true ? undefined : checkOutput?.Errors(structuredContent).First()
        assert.equal(problem, undefined, `${problem?.path}: ${problem?.message}`)
      },
    )
  })
})

/** Clients that validate structured content against the output schema would drop a refusal with structured content. */
function checkRefusal(result: { content: readonly { text: string }[]; structuredContent?: object }): void {
  assert.ok(!('structuredContent' in result), 'a refusal has structured content')
  const { error, results } = JSON.parse(result.content[0]!.text) as {
    error?: Refusal
    results?: readonly { error: Refusal }[]
  }
  // A bulk change that fails for every item lists each reason.
  for (const { code, message } of error ? [error] : results!.map(one => one.error)) {
    assert.ok(ERROR_CODES.includes(code), code)
    assert.ok(code !== 'internal' && code !== 'unavailable', `${code}: ${message}`)
    assert.ok(message.length > 0)
  }
}

interface Refusal {
  readonly code: (typeof ERROR_CODES)[number]
  readonly message: string
}
