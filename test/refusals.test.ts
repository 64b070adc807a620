import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { startHost, type TestHost } from 'tasuki/testing'
import { CATALOG } from './catalog.ts'
import { forEachEngine } from './engines.ts'
import { OFFICIAL_CLIENTS, type Access, type ClientName, type OfficialConnection } from './official-clients.ts'
import { callsToConfirm, refusedCall, type ListedTool } from './refused-calls.ts'
import { verifies } from './verifies.ts'

interface Refusal {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly details?: Readonly<Record<string, unknown>>
}

forEachEngine('refusals through the official clients', engine => {
  let started: { host: TestHost; url: string; token: string; close(): Promise<void> }
  let tools: readonly ListedTool[]
  before(async () => {
    started = await startHost({ engine })
    await started.host.command('workflow copy', { name: 'Own' })
    tools = (await started.host.listTools()) as unknown as ListedTool[]
  })
  after(() => started.close())

  const using = async (
    name: ClientName,
    work: (client: OfficialConnection) => Promise<void>,
    more: Partial<Access> = {},
  ): Promise<void> => {
    const client = await OFFICIAL_CLIENTS[name]({ url: started.url, token: started.token, ...more })
    try {
      await work(client)
    } finally {
      await client.close()
    }
  }
  const refusalOf = async (client: OfficialConnection, tool: string, args: object): Promise<Refusal> => {
    const { text, isError } = await client.ask(tool, args)
    assert.ok(isError, `${tool} was not refused: ${text}`)
    return (JSON.parse(text) as { error: Refusal }).error
  }

  for (const name of Object.keys(OFFICIAL_CLIENTS) as ClientName[]) {
    verifies(
      ['results.error_text_alone', 'errors.shape', 'errors.names_value'],
      `${name} passes on one refusal of each tool, with code and hint`,
      () =>
        using(name, async client => {
          for (const listed of tools) {
            const { tool, args } = refusedCall(listed)
            const refusal = await refusalOf(client, tool, args)
            assert.notEqual(refusal.code, 'confirmation_required', tool)
            assert.ok(refusal.message !== '' && refusal.hint !== undefined, `${tool}: ${JSON.stringify(refusal)}`)
          }
        }),
    )

    verifies(
      ['confirm.token_first', 'confirm.token_runs', 'confirm.declined'],
      `${name} passes on the question of each tool that asks, a refusal, and a confirmation by token`,
      async () => {
        const calls = await callsToConfirm((tool, args) => started.host.call(tool, args))
        assert.deepEqual(
          calls.map(({ tool }) => tool).toSorted(),
          CATALOG.filter(({ confirm }) => confirm)
            .map(tool => tool.name)
            .toSorted(),
        )
        await using(
          name,
          async client => {
            for (const { tool, args } of calls) {
              const { code, hint, details } = await refusalOf(client, tool, args)
              assert.deepEqual([code, details?.['declined']], ['confirmation_required', true], tool)
              assert.match(hint!, /unless the user asks/, tool)
            }
          },
          { declines: true },
        )
        await using(name, async client => {
          for (const { tool, args } of calls) {
            const { code, hint, details } = await refusalOf(client, tool, args)
            assert.equal(code, 'confirmation_required', tool)
            assert.match(hint!, /same call again with confirm_token/, tool)
            const done = await client.ask(tool, { ...args, confirm_token: details!['confirm_token'] })
            assert.equal(done.isError, false, `${tool}: ${done.text}`)
          }
        })
      },
    )
  }
})
