import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { isPublicAddress, safeFetch } from '../../../core/http/safe-fetch.ts'

const PUBLIC = ['93.184.216.34', '1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '2001:4860:4860::8888', '::ffff:1.1.1.1']

/** Addresses that a host name from a stranger must not reach. */
const PRIVATE_IPV4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

const hex = (ipv4: string): string => {
  const [a, b, c, d] = ipv4.split('.').map(Number) as [number, number, number, number]
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
/** Notations that embed an IPv4 address in an IPv6 address. */
const WRITTEN: Readonly<Record<string, (ipv4: string) => string>> = {
  'IPv4-compatible': ipv4 => `::${ipv4}`,
  'IPv4-compatible, in hexadecimal': ipv4 => `::${hex(ipv4)}`,
  'IPv4-mapped': ipv4 => `::ffff:${ipv4}`,
  'IPv4-mapped, in hexadecimal': ipv4 => `::ffff:${hex(ipv4)}`,
  'IPv4-mapped, in full': ipv4 => `0:0:0:0:0:ffff:${hex(ipv4)}`,
  'IPv4-translated': ipv4 => `::ffff:0:${ipv4}`,
  NAT64: ipv4 => `64:ff9b::${ipv4}`,
  'NAT64, in hexadecimal': ipv4 => `64:ff9b::${hex(ipv4)}`,
  'NAT64 of a network': ipv4 => `64:ff9b:1::${hex(ipv4)}`,
  '6to4': ipv4 => `2002:${hex(ipv4)}::1`,
  Teredo: ipv4 => `2001:0:${hex(ipv4)}:8000:63bf:3fff:fdd2`,
  'Teredo, as the client': ipv4 => `2001:0:4136:e378:8000:63bf:${hex(ipv4)}`,
  ISATAP: ipv4 => `2001:db9::5efe:${hex(ipv4)}`,
  'ISATAP, of a public address': ipv4 => `2001:db9::200:5efe:${hex(ipv4)}`,
}

const PRIVATE_IPV6 = [
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'ff02::1',
  '100::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
]

test('addresses of the public internet are connected to', () => {
  assert.deepEqual(
    PUBLIC.filter(address => !isPublicAddress(address)),
    [],
  )
})

test('addresses of private machines and networks are not, and invalid addresses are not', () => {
  const all = [...PRIVATE_IPV4, ...PRIVATE_IPV6, 'example.com', '', '1.1.1', '0x7f.1', '127.1', '[::1]']
  assert.deepEqual(all.filter(isPublicAddress), [])
})

for (const [name, write] of Object.entries(WRITTEN)) {
  test(`a private address that is written as ${name} is not connected to`, () => {
    assert.deepEqual(PRIVATE_IPV4.map(write).filter(isPublicAddress), [])
  })
}

// The process looks up all other names, such as that of the database, with two threads.
test('names of strangers are not looked up by the threads of the process', async () => {
  const started: string[] = []
  const hook = createHook({ init: (_id, type) => void started.push(type) }).enable()
  const options = { mostBytes: 1000, timeoutMs: 500 }
  const result: unknown = await safeFetch('https://a.example.com/', options).catch((error: unknown) => error)
  hook.disable()
  assert.ok(result instanceof Error)
  assert.ok(started.includes('QUERYWRAP'), [...new Set(started)].join(', '))
  assert.ok(!started.includes('GETADDRINFOREQWRAP'))
})
