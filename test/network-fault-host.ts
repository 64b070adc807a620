import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { testHost, type TestHost, type TestHostOptions } from 'tasuki/testing'
import { createTestDatabase } from '../core/testing/database.ts'

/** A controllable network between a host and its database. */
export interface FaultyNetwork {
  readonly url: string
  /** Breaks all connections and refuses new ones. */
  cut(): Promise<void>
  /** Breaks all connections but accepts new ones. */
  breakOff(): void
  /** Forwards nothing, without closing connections, like a failover: new connections get no answer either. */
  fallSilent(): void
  /** Forwards new connections again; existing ones stay silent. */
  recover(): void
  /** Breaks the connections of the next commits after the commit reached the database and before its answer arrives. */
  loseCommits(count: number): void
  close(): Promise<void>
}

/** Opens a host on PostgreSQL whose network can fail. The embedded database fails only with its process. */
export async function networkFaultHost(
  t: { after(work: () => Promise<void> | void): void },
  options: TestHostOptions = {},
): Promise<FaultyNetwork & { readonly host: TestHost; readonly server: string }> {
  const { url, drop } = await createTestDatabase()
  const network = await faultyNetwork(new URL(url))
  const database = { engine: 'postgres', url: network.url, replicaUrl: null } as const
  const cleanups: (() => Promise<void> | void)[] = []
  t.after(async () => {
    // Closed first, because the host would wait for a silent network.
    await network.close()
    for (const cleanup of cleanups) await cleanup()
    await drop()
  })
  const host = await testHost({ after: work => void cleanups.push(work) }, { ...options, database })
  return { ...network, host, server: url }
}

const COMMIT = Buffer.from('Q\0\0\0\u000bcommit\0')

export async function faultyNetwork(server: URL): Promise<FaultyNetwork> {
  const open = new Set<{ readonly near: Socket; readonly far: Socket; silent: boolean }>()
  let silent = false
  let commitsToLose = 0
  const wire = createServer({ noDelay: true }, near => {
    const far = connect({ port: Number(server.port || 5432), host: server.hostname, noDelay: true })
    const pair = { near, far, silent }
    open.add(pair)
    let losing = false
    const end = (): void => {
      open.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on('error', end).on('close', () => pair.silent || end())
    near.on('data', chunk => {
      if (pair.silent) return
      if (commitsToLose > 0 && chunk.includes(COMMIT)) {
        commitsToLose--
        losing = true
      }
      far.write(chunk)
    })
    far.on('data', chunk => {
      if (losing) end()
      else if (!pair.silent) near.write(chunk)
    })
  })
  await new Promise<void>(done => wire.listen(0, '127.0.0.1', done))
  const url = new URL(server)
  url.host = `127.0.0.1:${(wire.address() as AddressInfo).port}`
  const breakOff = (): void => {
    for (const { near, far } of open) {
      near.destroy()
      far.destroy()
    }
  }
  const cut = async (): Promise<void> => {
    wire.close()
    breakOff()
    await new Promise(done => setTimeout(done, 50))
  }
  return {
    url: url.href,
    cut,
    breakOff,
    fallSilent() {
      silent = true
      for (const pair of open) pair.silent = true
    },
    recover: () => void (silent = false),
    loseCommits: count => void (commitsToLose = count),
    close: cut,
  }
}
