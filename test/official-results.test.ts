import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { startHost } from 'tasuki/testing'
import { eachCall } from './bench/statements.ts'
import { OFFICIAL_CLIENTS, type ClientName } from './official-clients.ts'
import { verifies } from './verifies.ts'

describe('answers of every tool through the official clients', () => {
  for (const name of ['SDK 1.x', 'client 2.x, 2026-07-28'] satisfies ClientName[])
    verifies('results.output_valid', `${name} accepts the answer of every tool by its output schema`, async () => {
      const { host, url, token, close } = await startHost({ config: { plugins: { project_admin: {} } } })
      const client = await OFFICIAL_CLIENTS[name]({ url, token })
      try {
        const called: string[] = []
        await eachCall(host, 3, async (tool, _kind, args) => {
          const first = await client.ask(tool, args)
          const { error } = first.isError ? JSON.parse(first.text) : {}
          const confirm_token = error?.details?.confirm_token
          // Throws if the structured content does not match the output schema.
          const answer = confirm_token ? await client.ask(tool, { ...args, confirm_token }) : first
          assert.equal(answer.isError, false, `${tool}: ${answer.text}`)
          called.push(tool)
        })
        assert.deepEqual(called.toSorted(), client.toolNames.toSorted())
      } finally {
        await client.close()
        await close()
      }
    })
})
