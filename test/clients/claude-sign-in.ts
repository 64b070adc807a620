import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, succeed, type Program } from '../processes.ts'
import type { Target } from './matrix.ts'

/**
 * Gives Claude Code only the address, and lets the person approve at the URL that Claude Code opens in the browser.
 * @param folder parent of the home folders of this run
 */
export async function signInClaude(claude: Program, { address, person }: Target, folder: string): Promise<string> {
  if (process.platform !== 'linux') return 'not tried: it needs the `script` of util-linux'
  const home = mkdtempSync(join(folder, 'claude-'))
  const opened = join(home, 'opened')
  const browser = join(home, 'browser')
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o700 })
  const where = { cwd: home, env: { HOME: home, BROWSER: browser, TERM: 'xterm' }, inherit: false }
  await succeed(claude, ['mcp', 'add', '--transport', 'http', 'tasuki', address], where)
  assert.match((await run(claude, ['mcp', 'list'], where)).stdout, /Needs authentication/)

  // Claude Code signs in only on a terminal, which `script` simulates.
  const login = [claude.file, ...claude.args, 'mcp', 'login', 'tasuki'].map(word => `'${word}'`).join(' ')
  const program = spawn('script', ['-qfec', login, '/dev/null'], {
    cwd: home,
    env: { ...where.env, PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let output = ''
  program.stdout.on('data', (text: Buffer) => (output += text.toString()))
  try {
    for (const until = Date.now() + 30_000; !existsSync(opened); await sleep(100))
      assert.ok(Date.now() < until && program.exitCode === null, `it opened no browser:\n${output}`)
    const callback = await person.approve(readFileSync(opened, 'utf8'))
    assert.match(await (await fetch(callback)).text(), /Authentication successful/)
    for (const until = Date.now() + 30_000; !/Authenticated with/.test(output); await sleep(100))
      assert.ok(Date.now() < until, `it did not say that it is signed in:\n${output}`)
  } finally {
    program.kill()
  }
  const list = await succeed(claude, ['mcp', 'list'], where)
  assert.match(list, /tasuki: .*Connected/)
  return 'yes'
}
