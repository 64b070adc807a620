import { execFile } from 'node:child_process'
import { testHost } from '../../core/testing/index.ts'
import { startAuthProxy } from './auth-proxy.ts'

type TestScope = Parameters<typeof testHost>[0]

/** Scenarios that work with any server. */
const ANY = ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection', 'server-sse-multiple-streams']
/** Scenarios that request records by name, if the product has an equivalent; see `NAMES`. */
const NAMED = [
  'resources-read-text',
  'resources-templates-read',
  'prompts-get-simple',
  'prompts-get-with-args',
  'completion-complete',
]
/**
 * Names of the product that replace those of the suite. The other scenarios need the fixture: tools that do what they test (test_*), binary
 * resources, prompts with images or embedded resources, and resources/subscribe, which the product does not offer in 2025 revisions.
 */
const NAMES: readonly (readonly [string, string])[] = [
  ['test://static-text', 'tasuki://note/APP%232'],
  ['test://template/123/data', 'tasuki://item/APP%231'],
  ['test_simple_prompt', 'daily_brief'],
  ['test_prompt_with_arguments', 'plan_sprint'],
  ['"arg1"', '"project"'],
  ['"arg2"', '"sprint"'],
]
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [...ANY, ...NAMED, 'server-initialize', 'server-session-lifecycle', 'ping', 'logging-set-level'],
  '2026-07-28': [
    ...ANY,
    ...NAMED,
    'caching',
    'http-header-validation',
    'sep-2164-resource-not-found',
    'input-required-result-unsupported-methods',
  ],
}

/** Runs the scenarios that work without the fixture against the product. @returns the failed scenarios */
export async function productConformance(
  suite: string,
  scope: TestScope,
  print: (line: string) => void,
): Promise<string[]> {
  const host = await testHost(scope)
  await host.command('project create', { key: 'APP', name: 'App' })
  // The scenario looks for the number of its address in the answer.
  await host.call('items_create', { project_key: 'APP', title: 'Item 123' })
  await host.call('notes_create', { project_key: 'APP', title: 'Minutes', body: 'One line.' })
  const address = await host.app.listen({ host: '127.0.0.1', port: 0 })
  const rename = (text: string): string => NAMES.reduce((all, [from, to]) => all.replaceAll(from, to), text)
  const proxy = await startAuthProxy(new URL(address), host.token, rename)
  const failed: string[] = []
  try {
    for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
      print(`\n── conformance of the product, ${scenarios.length} scenarios of ${revision} ──`)
      for (const scenario of scenarios) {
        const result = await run(suite, [
          'server',
          '--url',
          `${proxy.url}/mcp`,
          '--spec-version',
          revision,
          '--scenario',
          scenario,
        ])
        print(`${result.ok ? '✓' : '✗'} ${scenario}`)
        if (result.ok) continue
        print(result.output)
        failed.push(`${scenario} of the product (${revision})`)
      }
    }
  } finally {
    await proxy.close()
  }
  return failed
}

function run(suite: string, args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [suite, ...args], (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}` }),
    )
  })
}
