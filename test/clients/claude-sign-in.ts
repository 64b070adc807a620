import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { launchChromium, noChromium } from '../chromium.ts'
import { run, succeed, type Program, type Serving } from '../processes.ts'

const PASSWORD = 'a long sentence of no consequence'

/**
 * Gives Claude Code the address alone, and does what a person then does: sign in and approve in the browser that it opens.
 * @param folder homes of this run are made there.
 */
export async function signInClaude(claude: Program, server: Serving, folder: string): Promise<string> {
  if (noChromium) return `not tried, since ${noChromium}`
  if (process.platform !== 'linux') return 'not tried: it needs the `script` of util-linux'
  const home = mkdtempSync(join(folder, 'claude-'))
  const opened = join(home, 'opened')
  const browserProgram = join(home, 'browser')
  writeFileSync(browserProgram, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o700 })
  // Not the name that a first start shows: what the service tells of itself has to fit this one too.
  const { origin } = server
  const where = { cwd: home, env: { HOME: home, BROWSER: browserProgram, TERM: 'xterm' }, inherit: false }
  await succeed(claude, ['mcp', 'add', '--transport', 'http', 'tasuki', `${origin}/mcp`], where)
  assert.match((await run(claude, ['mcp', 'list'], where)).stdout, /Needs authentication/)

  const setupLink = /http:\/\/localhost:\d+\/setup#\S+/.exec(server.output.stdout)?.[0]
  assert.ok(setupLink !== undefined, server.output.stdout)
  await using browser = await launchChromium()
  const page = await browser.newPage()
  await page.goto(setupLink)
  for (const field of await page.locator('input[type=password]').all()) await field.fill(PASSWORD)
  await page.locator('main form button').click()
  await page.waitForURL('**/projects')

  // It signs in on a terminal only, which `script` stands for.
  const login = [claude.file, ...claude.args, 'mcp', 'login', 'tasuki'].map(word => `'${word}'`).join(' ')
  const program = spawn('script', ['-qfec', login, '/dev/null'], {
    cwd: home,
    env: { ...where.env, PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let told = ''
  program.stdout.on('data', (text: Buffer) => (told += text.toString()))
  try {
    for (const until = Date.now() + 30_000; !existsSync(opened); await sleep(100))
      assert.ok(Date.now() < until && program.exitCode === null, `it opened no browser:\n${told}`)
    await page.goto(readFileSync(opened, 'utf8'))
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Authentication successful').waitFor()
    for (const until = Date.now() + 30_000; !/Authenticated with/.test(told); await sleep(100))
      assert.ok(Date.now() < until, `it did not say that it is signed in:\n${told}`)
  } finally {
    program.kill()
  }
  const list = await succeed(claude, ['mcp', 'list'], where)
  assert.match(list, /tasuki: .*Connected/)
  return 'signed in and approved in Chromium, connected'
}
