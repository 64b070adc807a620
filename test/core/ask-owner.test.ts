import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, test } from 'node:test'
import { askOwner, isInteractive, type Terminal } from '../../core/cli/ask-owner.ts'

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
