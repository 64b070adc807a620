import { isIPv6 } from 'node:net'

/** The network of an IP address, by which attempts are counted: everybody has 2^64 addresses of IPv6. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip.replace('::ffff:', '')
  const [head = '', tail = ''] = ip.split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const gap = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `${[...before, ...gap, ...after].slice(0, 4).join(':')}::/64`
}
