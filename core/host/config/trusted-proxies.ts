import { isIP } from 'node:net'
import { HostError } from '../../plugin/errors.ts'
import type { Config } from './schema.ts'

/** Validates the proxies whose forwarding headers are trusted. @throws HostError */
export function readTrustedProxies({ trusted_proxies: trusted }: Pick<Config, 'trusted_proxies'>): string[] | false {
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const isNamed = ['loopback', 'linklocal', 'uniquelocal'].includes(entry)
    const most = isIP(address) === 6 ? 128 : 32
    const isNetwork = isIP(address) > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
    if (!isNamed && !isNetwork)
      throw new HostError(`trusted_proxies has "${entry}"; write an address, a network like 10.0.0.0/8, or loopback`)
  }
  return trusted.length > 0 && [...trusted]
}
