import { OFFICIAL_CLIENTS, redeemClassic, redeemModern, type ClientName, type RedeemCode } from '../official-clients.ts'
import { signInThroughBrowser, type Client } from './client.ts'

function sdk(name: string, client: ClientName, redeem: RedeemCode): Client {
  const connect = OFFICIAL_CLIENTS[client]
  return { name, connect, asks: true, signIn: signInThroughBrowser(connect, redeem) }
}

/** The official SDKs. */
export const sdks: readonly Client[] = [
  sdk('SDK 1.x', 'SDK 1.x', redeemClassic),
  sdk('SDK 2.x', 'client 2.x, 2025-11-25', redeemModern),
  sdk('SDK 2.x', 'client 2.x, 2026-07-28', redeemModern),
]
