import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { askOwner, isInteractive, type Terminal } from '../../core/cli/ask-owner.ts'
import { inProcess } from './in-process.ts'
import { TASUKI } from '../processes.ts'

// A terminal keeps a process alive; a stream in memory does not.
const alive = setInterval(() => undefined, 1000)
after(() => clearInterval(alive))

const terminal = () => {
  const [input, output] = [new PassThrough(), new PassThrough()].map(each => Object.assign(each, { isTTY: true }))
  return { input: input!, output: output! }
}
const never = new AbortController().signal
const said = ({ output }: { output: PassThrough }): string => String(output.read() ?? '')

test('the owner is asked until the answer is an e-mail address', async () => {
  const person = terminal()
  const answer = askOwner(person, never)
  person.input.write('ann\n')
  person.input.write(' Ann@Example.com \n')
  assert.equal(await answer, 'ann@example.com')
  assert.match(said(person), /Your e-mail address.*no e-mail address/s)
})

test('an answer is optional: an empty line, the end of the input, a minute, or a signal to stop continues without it', async () => {
  const ways: readonly ((person: Terminal & { input: PassThrough }, stop: AbortController) => void)[] = [
    person => person.input.write('\n'),
    person => person.input.end(),
    (_person, stop) => stop.abort(),
    () => undefined,
  ]
  for (const way of ways) {
    const [person, stop] = [terminal(), new AbortController()]
    const answer = askOwner(person, stop.signal, way === ways.at(-1) ? 50 : undefined)
    way(person, stop)
    assert.equal(await answer, null)
  }
})

test('only a person at a terminal is asked: no service, no pipe, no CI', () => {
  const person = terminal()
  assert.equal(isInteractive(person, {}), true)
  assert.equal(isInteractive(person, { CI: 'true' }), false)
  assert.equal(isInteractive(person, { TERM: 'dumb' }), false)
  assert.equal(isInteractive({ ...person, input: new PassThrough() }, {}), false)
  assert.equal(isInteractive({ ...person, output: new PassThrough() }, {}), false)
})

/** Runs a program in a terminal. */
const SCRIPT = '/usr/bin/script'
const CTRL_C = '\x03'

test(
  'Ctrl+C at the question ends the start, and makes no account',
  { skip: !(process.platform === 'linux' && existsSync(SCRIPT)) && `${SCRIPT} of util-linux is not there` },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'ask-owner-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const { CI: _ci, ...env } = process.env
    // In place of the shell of `script`: dash would stay between them, and Ctrl+C would end it with 130.
    const command = `exec ${[TASUKI.file, ...TASUKI.args].map(word => `'${word}'`).join(' ')}`
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      env: { ...env, TERM: 'xterm', PORT: '0', DATA_DIR: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!output.includes('e-mail address') && (output + text).includes('e-mail address')) child.stdin.write(CTRL_C)
      output += text
    })
    const code = await new Promise(done => child.once('close', done))
    assert.equal(code, 0, output)
    assert.match((await inProcess(['user', 'list'], { DATA_DIR: folder })).stdout, /^\(none\)/)
  },
)
