import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figures } from './figures.ts'
import { PAGES } from './pages.ts'
import type { Outcome } from './reporter.ts'
import { renderTrust } from './render.ts'

// `npm run trust` and `npm run operations`: run the tests of all rows on both databases, and write the page.
const page = PAGES[process.argv[2] === 'operations' ? 'operations' : 'trust']
const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tasuki-trust-'))
const outcomes = join(folder, 'outcomes')
const figures = join(folder, 'figures')

const files = [...new Set(Object.values(page.promises).flatMap(group => group.map(({ file }) => file)))]
const reporters = [
  '--test-reporter=dot',
  '--test-reporter-destination=stdout',
  `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
  `--test-reporter-destination=${outcomes}`,
]

try {
  const args = ['--conditions=tasuki-source', join(root, 'test/run.ts'), ...reporters, ...files]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TRUST_FIGURES: figures },
  })
  const code = await new Promise<number | null>(resolve => child.once('exit', resolve))
  const recorded = lines<{ promise: string; figures: Figures }>(figures)
  const { text, broken } = renderTrust(page, lines<Outcome>(outcomes), recorded)
  writeFileSync(join(root, page.file), text)
  for (const promise of broken) console.error(`not kept: ${promise.text} (${promise.file})`)
  process.exitCode = code === 0 && broken.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function lines<T>(file: string): T[] {
  if (!existsSync(file)) return []
  const texts = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return texts.map(text => JSON.parse(text) as T)
}
