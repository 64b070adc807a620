import { startHost } from './core/testing/index.ts'
import { OFFICIAL_CLIENTS } from './test/official-clients.ts'
import { readIssues, loadIssues } from './test/issues.ts'
const { host, url, token, close } = await startHost({ engine: 'pglite', logger: { level: 'warn' } })
await host.command('project create', { key: 'MESOS', name: 'm' })
console.log('connecting', url)
const t0 = Date.now()
const client = await OFFICIAL_CLIENTS['client 2.x, 2026-07-28'](url, token)
console.log('connected', Date.now() - t0, client.toolNames.length)
let n = 0
const issues = readIssues('mesos').slice(0, 150)
const p = loadIssues(
  async (name, args) => {
    const t = Date.now()
    const r = await client.call(name, args)
    n++
    if (n % 10 === 0) console.log(n, Date.now() - t)
    return r
  },
  'MESOS',
  issues,
)
await Promise.race([p, new Promise(r => setTimeout(r, 60000))])
console.log('n', n, Date.now() - t0)
process.exit()
