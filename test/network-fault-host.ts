import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { testHost, type TestHost, type TestHostOptions } from 'tasuki/testing'
import { createTestDatabase } from '../core/testing/database.ts'

/** A host on PostgreSQL whose database connection can be cut; the embedded database fails only with its process. */
export async function networkFaultHost(
  t: { after(work: () => Promise<void> | void): void },
  options: TestHostOptions = {},
): Promise<{ readonly host: TestHost; readonly cut: () => Promise<void> }> {
  const { url, drop } = await createTestDatabase()
  t.after(drop)
  const { url: through, cut } = await wireTo(new URL(url))
  const host = await testHost(t, { ...options, database: { engine: 'postgres', url: through, replicaUrl: null } })
  return { host, cut }
}

/** A proxy to a server that can be cut and then refuses connections. */
async function wireTo(server: URL): Promise<{ url: string; cut: () => Promise<void> }> {
  const open = new Set<Socket>()
  const wire = createServer(near => {
    const far = connect(Number(server.port || 5432), server.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>(done => wire.listen(0, '127.0.0.1', done))
  const url = new URL(server)
  url.host = `127.0.0.1:${(wire.address() as AddressInfo).port}`
  return {
    url: url.href,
    async cut() {
      wire.close()
      for (const socket of open) socket.destroy()
      await new Promise(done => setTimeout(done, 50))
    },
  }
}
