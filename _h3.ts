import { subscribe } from 'node:diagnostics_channel'
import { startHost } from './core/testing/index.ts'
import { readIssues } from './test/issues.ts'
const only = process.argv[2] ? process.argv[2].split(',') : undefined
const { host } = await startHost({ engine: 'pglite', ...(only && { only }) })
await host.command('project create', { key: 'MESOS', name: 'm' })
let last: { text: string; at: number } | null = null
let sums = new Map<string, number>()
const close = () => {
  if (last) {
    const k = last.text.replace(/\s+/g, ' ').trim().slice(0, 90)
    sums.set(k, (sums.get(k) ?? 0) + performance.now() - last.at)
  }
}
subscribe('tasuki.statement', (m: any) => {
  close()
  last = { text: String(m.text ?? m.sql ?? m), at: performance.now() }
})
for (let n = 1; n <= 160; n++) {
  const t = performance.now()
  await host.call('items_create', {
    project_key: 'MESOS',
    title: `Issue ${n}`,
    detail: 'some text '.repeat(50),
    labels: ['a', 'b'],
  })
  close()
  last = null
  if (n % 40 === 0) {
    console.log(n, Math.round(performance.now() - t), 'ms')
    for (const [k, v] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, 5)) console.log('    ', (v / 40).toFixed(1), k)
    sums = new Map()
  }
}
process.exit()
