import assert from 'node:assert/strict'
import type { Access, Connection, RedeemCode } from '../official-clients.ts'
import { newLogin, type Person } from './person.ts'

/** A client library of the matrix; the test makes its calls. */
export interface Client {
  readonly name: string
  connect(access: Access): Promise<Connection>
  /** Whether the client can ask its user. */
  readonly asks: boolean
  /** Connects with only the address, and lets the person approve. @returns the number of tools that the client then lists */
  signIn(url: string, person: Person): Promise<number>
}

/** Signs in like a library: the library is refused, sends the person to a browser, redeems the code and connects again. */
export function signInThroughBrowser(connect: Client['connect'], redeem: RedeemCode): Client['signIn'] {
  return async (url, person) => {
    const login = newLogin(person)
    await assert.rejects(connect({ url, provider: login.provider }))
    await redeem(login.provider, url, await login.approved())
    const { toolNames, close } = await connect({ url, provider: login.provider })
    await close()
    return toolNames.length
  }
}

/** Loads a package of this folder. The project is type-checked without these packages, so declare the used part of the type. */
export async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T
}
