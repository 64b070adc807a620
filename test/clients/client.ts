import assert from 'node:assert/strict'
import type { Access, Connection, RedeemCode } from '../official-clients.ts'
import { newLogin, type Person } from './person.ts'

/** A client of the matrix whose calls are ours. */
export interface Client {
  readonly name: string
  connect(access: Access): Promise<Connection>
  /** Whether it can ask its user. */
  readonly asks: boolean
  /** Connects with the address alone, and lets the person approve. @returns how many tools it then lists */
  signIn(url: string, person: Person): Promise<number>
}

/** How libraries sign in: they are refused, send the person to a browser, redeem the code and connect again. */
export function signInWith(connect: Client['connect'], redeem: RedeemCode): Client['signIn'] {
  return async (url, person) => {
    const login = newLogin(person)
    await assert.rejects(connect({ url, provider: login.provider }))
    await redeem(login.provider, url, await login.approved())
    const { toolNames, close } = await connect({ url, provider: login.provider })
    await close()
    return toolNames.length
  }
}

/** Loads a package of this folder. Its types are not there when the project is checked: say what is used of it. */
export async function load<T>(name: string): Promise<T> {
  return (await import(name)) as T
}
