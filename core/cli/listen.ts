import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Environment } from '../host/config/environment.ts'
import { HostError } from '../plugin/errors.ts'

export interface Address {
  readonly host: string
  readonly port: number
  /** Variable that sets the port. */
  readonly variable: string
}

/** Lists where the service listens: its own address, then that of the metrics if they have one. */
export function addressesOf({ host, port, metricsPort }: Environment): readonly [Address, ...Address[]] {
  const address = { host, port, variable: 'PORT' }
  return metricsPort === null ? [address] : [address, { host, port: metricsPort, variable: 'METRICS_PORT' }]
}

/** Listens for a moment, because a port that is taken should stop the start before the database is migrated. */
export async function tryToListen(address: Address): Promise<void> {
  const probe = createServer(socket => socket.destroy())
  await listen({ listen: at => once(probe.listen(at), 'listening') }, address)
  await new Promise(done => probe.close(done))
}

export async function listen(
  app: { listen(at: Pick<Address, 'host' | 'port'>): Promise<unknown> },
  { host, port, variable }: Address,
): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new HostError(`port ${port} is in use by another program; set ${variable} to a free one, or 0 for any`)
    if (code === 'EACCES')
      throw new HostError(`port ${port} needs more rights than this user has; set ${variable} above 1023`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new HostError(`HOST ${host} is no address of this machine; 0.0.0.0 listens on all of them`)
    throw error
  }
}
