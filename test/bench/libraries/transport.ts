import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { legacy, modern, type Post } from '../../core/mcp/stub.ts'
import { peakMegabytes, type Server } from '../processes.ts'
import type { Figure } from '../report.ts'
import { measure } from '../rounds.ts'
import { figureWithoutTarget } from './in-turn.ts'
import type { Kind, Tool, TransportOptions } from './transport-server.ts'

const PACE = { rounds: 4, seconds: 0.3, warmUp: 1 }
const ARGUMENTS = { text: 'The quick brown fox jumps over the lazy dog.' }

/**
 * Compares calls and lists of our endpoint with those of the official SDK, over the same hundred tools, each in a process without a
 * database.
 */
export async function measureTransport(): Promise<Figure[]> {
  const ours = await start({ kind: 'tasuki', tools: [] })
  const others: (readonly [Kind, Server])[] = []
  try {
    const { body, headers } = legacy('2025-11-25', 'tools/list')
    const response = await fetch(`${ours.origin}/mcp`, { method: 'POST', body, headers: headers! })
    const { result } = (await response.json()) as { result: { tools: Tool[] } }
    for (const kind of ['McpServer', 'Server'] as const) others.push([kind, await start({ kind, tools: result.tools })])
    const params = { name: 'bench_echo', arguments: ARGUMENTS }
    const posts: Readonly<Record<string, Post>> = {
      'tools/call, 2025-11-25': legacy('2025-11-25', 'tools/call', params),
      'tools/call, 2026-07-28': modern('tools/call', params),
      [`tools/list of ${result.tools.length}, 2026-07-28`]: modern('tools/list'),
    }
    const figures: Figure[] = []
    for (const [what, post] of Object.entries(posts)) {
      for (const [kind, theirs] of others) {
        const target = (server: Server) => ({ server, path: '/mcp', headers: post.headers!, bodies: [post.body] })
        const pair = { name: `${what}, SDK ${kind}`, ours: target(ours), theirs: target(theirs), targets: {} }
        figures.push(...(await measure(pair, PACE)))
      }
    }
    for (const [kind, { pid }] of others)
      figures.push(
        figureWithoutTarget(
          `peak memory of the process, SDK ${kind}`,
          'MB',
          peakMegabytes(ours.pid),
          peakMegabytes(pid),
        ),
      )
    return figures
  } finally {
    await Promise.all([ours, ...others.map(([, server]) => server)].map(server => server.stop()))
  }
}

async function start(options: TransportOptions): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'transport-server.ts'), { execArgv: ['--conditions=tasuki-source'] })
  child.send(options)
  const [port] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`the server ${options.kind} did not start`))),
  ])) as [number]
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}
