import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProblems, type Lockfile, type Manifest } from './rules.ts'

// `npm run check:dependencies`: checks the rules for the lockfile, and known vulnerabilities if the registry answers.
const root = join(import.meta.dirname, '../..')

/** The part of `npm audit --json` that this script reads. */
interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
}

/** Lists the vulnerabilities that the registry knows. @returns null if the registry does not answer */
async function findVulnerabilities(): Promise<readonly string[] | null> {
  const args = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=10000']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root }).catch((error: { stdout?: string }) => ({
    stdout: error.stdout ?? '',
  }))
  const { vulnerabilities } = parse(stdout)
  if (!vulnerabilities) return null
  return Object.entries(vulnerabilities)
    .filter(([, { severity }]) => severity === 'high' || severity === 'critical')
    .map(([name, { severity, range }]) => `${name} ${range} has a known vulnerability (${severity}); see npm audit`)
}

function parse(text: string): Audit {
  try {
    return JSON.parse(text) as Audit
  } catch {
    return {}
  }
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
const vulnerabilities = await findVulnerabilities()
if (!vulnerabilities)
  console.log('The registry does not answer: known vulnerabilities are not checked, only the lockfile is.')
const problems = [
  ...findProblems(read('package.json') as Manifest, read('package-lock.json') as Lockfile),
  ...(vulnerabilities ?? []),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
