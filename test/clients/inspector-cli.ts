import assert from 'node:assert/strict'
import { checkIssues, DATA_FOLDER, loadIssues, readIssues, type CallTool, type Issue } from '../issues.ts'
import { run, type Ended } from '../processes.ts'
import { programOf } from './installed.ts'

const INSPECTOR = programOf('@modelcontextprotocol/inspector/clients/launcher/build/index.js')
/** A small number, because each call starts a process that connects again. */
const MAX_ISSUES = 4

/** The command line of the Inspector without a persistent connection. */
export interface InspectorCli {
  /**
   * Creates, lists, filters, counts and finds issues in an empty project. @returns the Inspector's verdict on the portability of all
   * schemas
   */
  load(token: string, era: 'legacy' | 'modern', project: string): Promise<string>
  /** Connects without a token; the Inspector must report that it needs to sign in. */
  goWithoutToken(): Promise<void>
}

/** @param folder home of the program */
export function inspectorCli(url: string, folder: string): InspectorCli {
  const inspect = (...args: readonly string[]): Promise<Ended> => {
    const address = ['--cli', '--server-url', url, '--transport', 'http']
    return run(INSPECTOR, [...address, ...args, '--format', 'json'], { cwd: folder, env: { HOME: folder } })
  }
  return {
    async load(token, era, project) {
      const common = ['--header', `Authorization: Bearer ${token}`, '--protocol-era', era]
      const listed = await inspect(...common, '--method', 'tools/list', '--strict')
      assert.equal(listed.code, 0, listed.stderr)
      const call: CallTool = async (name, args) => {
        const method = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)]
        const { code, stdout, stderr } = await inspect(...common, ...method)
        assert.equal(code, 0, `${name}: ${stdout}${stderr}`)
        return JSON.parse(stdout).result.structuredContent
      }
      const issues = issuesToList()
      await loadIssues(call, project, issues)
      await checkIssues(call, project, issues)
      const verdict = /\d+ errors?, \d+ warnings?/.exec(listed.stdout + listed.stderr)?.[0] ?? 'nothing'
      return `${verdict} in the schemas; ${issues.length} issues created and found again`
    },
    async goWithoutToken() {
      const { code, stdout, stderr } = await inspect('--method', 'tools/list')
      assert.equal(code, 3, `${url}: ${stdout}${stderr}`)
    },
  }
}

function issuesToList(): readonly Issue[] {
  if (DATA_FOLDER !== null) return readIssues('mesos').slice(0, MAX_ISSUES)
  console.log('TEST_DATA_DIR is not set: with made-up issues instead of real ones')
  return [
    { key: 'DEMO-1', title: 'Executor restarts for ever', description: 'See DEMO-2.', points: 3, split: 'train' },
    { key: 'DEMO-2', title: 'Slaves lose their agent', description: 'On the second day.', points: 8, split: 'val' },
    { key: 'DEMO-3', title: '議事録を検索できない', description: '', points: 5, split: 'test' },
  ]
}
