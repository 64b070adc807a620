import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { startHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from './engines.ts'
import { checkIssues, DATA_FOLDER, loadIssues, readIssues, type IssueFile } from './issues.ts'
import { OFFICIAL_CLIENTS, type ClientName } from './official-clients.ts'
import { verifies } from './verifies.ts'

/** Number of issues that each client creates; `npm run load` uses all issues. */
const SLICE = 60
const skip = DATA_FOLDER === null && 'TEST_DATA_DIR is not set: it names the folder with the real issues'

const CASES = [
  ['client 2.x, 2026-07-28', '2026-07-28', 'mesos', 'MESOS'],
  ['client 2.x, 2025-11-25', '2025-11-25', 'jirasoftware', 'JSW'],
  ['SDK 1.x', '2025-11-25', 'mesos', 'MES1'],
] as const satisfies readonly (readonly [ClientName, string, IssueFile, string])[]

forEachEngine('real issues through the official clients', engine => {
  let started: { host: TestHost; url: string; token: string; close(): Promise<void> }
  before(async () => {
    started = await startHost({ engine })
  })
  after(() => started.close())

  for (const [name, revision, file, project] of CASES) {
    verifies(
      ['endpoint.one_path', 'endpoint.tools_call', 'results.output_valid', 'engines.alike'],
      `${name} creates ${SLICE} issues of ${file} and lists, filters, counts and finds them`,
      { skip },
      async () => {
        const { host, url, token } = started
        await host.command('project create', { key: project, name: file })
        const client = await OFFICIAL_CLIENTS[name]({ url, token })
        try {
          assert.equal(client.revision, revision)
          assert.ok(client.toolNames.includes('items_create'))
          const issues = readIssues(file).slice(0, SLICE)
          await loadIssues(client.call, project, issues)
          await checkIssues(client.call, project, issues)
        } finally {
          await client.close()
        }
      },
    )
  }
})
