import assert from 'node:assert/strict'
import type { Connection } from '../official-clients.ts'
import { callsToConfirm, type ToolCall } from '../refused-calls.ts'
import type { Client } from './client.ts'
import { cell, confirmToken, type Row, type Target } from './matrix.ts'

/** Tests a client library against every column of the table. */
export async function checkClient(client: Client, target: Target): Promise<Row> {
  const { url, token, direct, tools, refused } = target
  const { name, asks } = client
  let connection: Connection = NONE
  const connects = await cell(`${name} connects`, async () => {
    connection = await client.connect({ url, token })
    return 'yes'
  })
  const { ask, close, toolNames } = connection
  const row = {
    client: name,
    connects,
    lists: await cell(`${name} lists`, () => {
      assert.equal(toolNames.length, tools)
      return String(tools)
    }),
    writes: await cell(`${name} writes`, async () => {
      const { text, isError } = await ask('items_create', { project_key: 'INBOX', title: `From ${name}` })
      assert.ok(!isError && text.includes(`From ${name}`), text)
      return 'yes'
    }),
    'refusal kept': await cell(`${name} keeps refusals`, async () => {
      const left = [...refused]
      const worker = async (): Promise<void> => {
        for (let call = left.shift(); call; call = left.shift()) {
          const { text, isError } = await ask(call.tool, call.args)
          assert.ok(isError && text.includes(call.text), `${call.tool}: ${text}`)
        }
      }
      await Promise.all(Array.from({ length: 4 }, worker))
      return `${refused.length} of ${tools}`
    }),
    confirms: await cell(`${name} confirms`, async () => {
      const calls = await callsToConfirm(direct.call)
      if (asks) await decline(client, target, calls)
      for (const { tool, args } of calls) {
        const { text, isError } = await ask(tool, args)
        assert.ok(isError && /"code":"confirmation_required".*"hint":"Ask the user/.test(text), `${tool}: ${text}`)
        const done = await ask(tool, { ...args, confirm_token: confirmToken(text) })
        assert.ok(!done.isError, `${tool}: ${done.text}`)
      }
      return asks ? `${calls.length}, and ${calls.length} declined` : String(calls.length)
    }),
    'signs in': await cell(`${name} signs in`, async () => {
      assert.equal(await client.signIn(target.address, target.person), tools)
      return 'yes'
    }),
  }
  await close()
  return { ...row, revision: target.revision() }
}

/** Placeholder for a client that did not connect. */
const NONE: Connection = {
  toolNames: [],
  ask: () => Promise.reject(new Error('it is not connected')),
  close: () => Promise.resolve(),
}

/** Checks a client whose user declines every question. */
async function decline(client: Client, { url, token }: Target, calls: readonly ToolCall[]): Promise<void> {
  const { ask, close } = await client.connect({ url, token, declines: true })
  for (const { tool, args } of calls) {
    const { text, isError } = await ask(tool, args)
    assert.ok(isError && /"code":"confirmation_required".*"hint":.*"declined":true/.test(text), `${tool}: ${text}`)
  }
  await close()
}
