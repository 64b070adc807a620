import assert from 'node:assert/strict'
import fc from 'fast-check'
import { diffView, hunksOf } from '../../../../plugins/items/portal/diff.ts'
import type { Visit } from '../../../../plugins/portal/visit.ts'
import { verifies } from '../../../verifies.ts'

const visit = { language: 'en' } as Visit
const sideOf = async (before: string, after: string): Promise<string> =>
  diffView(visit, await hunksOf(before, after), 'side').text.split('when-narrow')[0]!
/** Returns the cells of each row: number and text of the former and of the current line. */
const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/<tr>\s*(<td[\s\S]*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<td class="(?:\w*)">([\s\S]*?)<\/td>/g)].map(([, cell]) =>
      cell!.replace(/<span class="unseen">.*?<\/span>/g, '').replace(/<[^>]+>/g, ''),
    ),
  )

verifies('portal.side_by_side', 'removed text is next to its replacement, and equal text next to itself', async () => {
  const text = await sideOf('a\nold 1\nold 2\nsame\nlast\n', 'a\nnew 1\nsame\nadded\nlast\n')
  assert.deepEqual(rowsOf(text), [
    ['1', 'a', '1', 'a'],
    ['2', 'old 1', '2', 'new 1'],
    ['3', 'old 2', '', ''],
    ['4', 'same', '3', 'same'],
    ['', '', '4', 'added'],
    ['5', 'last', '5', 'last'],
  ])
  assert.match(text, /<td class="absent"><\/td>\s*<td class="absent">/)
})

verifies('portal.side_by_side', 'each side contains its complete text, for any texts', async () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(lines, lines, async (before, after) => {
      fc.pre(before.join() !== after.join())
      const rows = rowsOf(
        await sideOf(before.map(line => `${line}\n`).join(''), after.map(line => `${line}\n`).join('')),
      )
      const side = (number: number): [number, string][] =>
        rows.flatMap(row => (row[number] === '' ? [] : [[Number(row[number]), row[number + 1]!] as [number, string]]))
      for (const [at, text] of side(0)) assert.equal(text, before[at - 1])
      for (const [at, text] of side(2)) assert.equal(text, after[at - 1])
      // Returns the lines that the diff omits. They must be equal in both versions.
      const hidden = (all: readonly string[], shown: [number, string][]): string[] =>
        all.filter((_line, n) => !shown.some(([at]) => at === n + 1))
      assert.deepEqual(hidden(before, side(0)), hidden(after, side(2)))
    }),
  )
})

verifies(
  'portal.side_by_side',
  'a text that only continues another is compared, with thousands of lines more',
  async () => {
    const before = 'few\nlines\n'.repeat(20)
    const isCompared = async (): Promise<boolean> => {
      const { hunks } = await hunksOf(before, before + 'x\n'.repeat(5_500))
      return hunks.flat().every(({ sign }) => sign !== '-')
    }
    let compared = false
    // It takes some milliseconds of the twenty that a comparison has, which a busy machine may use otherwise.
    for (let n = 0; n < 20 && !compared; n++) compared = await isCompared()
    assert.ok(compared)
  },
)

verifies('portal.side_by_side', 'texts with thousands of lines more are not compared line by line', async () => {
  const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000
  let least = Infinity
  // Compilation and garbage collection affect a single attempt; comparing took 25 ms and more in every attempt.
  for (let n = 0; n < 5; n++) {
    const began = process.threadCpuUsage()
    const { hunks, more } = await hunksOf('few\nlines\n'.repeat(3_200), '\n'.repeat(96_000))
    least = Math.min(least, milliseconds(process.threadCpuUsage(began)))
    assert.equal(hunks.flat().length, 1_500)
    assert.equal(more, 6_401 + 96_001 - 1_500)
  }
  assert.ok(least < 15, `${least} ms`)
})
