import assert from 'node:assert/strict'
import fc from 'fast-check'
import { structuredPatch } from 'diff'
import { test } from 'node:test'
import { compareLines } from '../../../plugins/items/compare-lines.ts'

const linesOf = (text: string): string[] => text.split('\n').map(line => line.replace(/\r$/, ''))
const isChange = (line: string): boolean => /^[+-]/.test(line)

test('each line of a hunk is where the hunk says, and no change is larger than necessary', async () => {
  const part = fc
    .array(fc.constantFrom('a', 'b', '', '\n', 'a\n', 'b\n', 'c\n', '\r\n'), { maxLength: 40 })
    .map(parts => parts.join(''))
  await fc.assert(
    fc.asyncProperty(part, part, part, part, async (start, old, fresh, end) => {
      const [before, after] = [start + old + end, start + fresh + end]
      const hunks = await compareLines(before, after)
      assert.ok(hunks)
      for (const { oldStart, newStart, lines } of hunks) {
        const shown = lines.filter(line => !line.startsWith('\\')).map(line => line.replace(/\r$/, ''))
        const side = (sign: string): string[] => shown.filter(line => line[0] !== sign).map(line => line.slice(1))
        assert.deepEqual(side('+'), linesOf(before).slice(oldStart - 1, oldStart - 1 + side('+').length))
        assert.deepEqual(side('-'), linesOf(after).slice(newStart - 1, newStart - 1 + side('-').length))
      }
      const smallest = structuredPatch('', '', before, after)
      const changes = (all: readonly { readonly lines: readonly string[] }[]): number =>
        all.flatMap(({ lines }) => lines).filter(isChange).length
      assert.equal(changes(hunks), changes(smallest.hunks))
    }),
    { numRuns: 500 },
  )
})

test('a thousand lines that were added in the middle of a long text are compared', async () => {
  const [start, end] = [Array.from({ length: 10_000 }, (_, n) => `${n}\n`).join(''), 'end\n'.repeat(10_000)]
  const compare = () => compareLines(start + end, start + 'new\n'.repeat(1_000) + end)
  let hunks: Awaited<ReturnType<typeof compare>> = null
  // The comparison has a time limit, which a busy machine may use otherwise.
  for (let n = 0; n < 20 && !hunks; n++) hunks = await compare()
  assert.equal(hunks?.length, 1)
  assert.equal(hunks[0]!.newStart, 9_998)
  assert.equal(hunks[0]!.lines.filter(isChange).length, 1_000)
})
