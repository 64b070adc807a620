import { after, before } from 'node:test'
import { newBrowser, PASSWORD, testHost } from 'tasuki/testing'
import type { Browser, Engine, TestCaller, TestHost, TestHostOptions } from 'tasuki/testing'

export { newBrowser, PASSWORD, proofs, type Browser, type Page, type SentFile } from 'tasuki/testing'

/** Returns a page without what differs each time that it is loaded. */
export const withoutPageId = (text: string): string => text.replaceAll(/name="once"\s+value="[^"]+"/g, '')

export interface PortalHost {
  readonly host: TestHost
  /** The clock of the host; tests may move it. */
  now: Date
  browser(ip?: string): Browser
  /** Creates a user with a password. */
  newUser(): Promise<TestCaller & { readonly email: string }>
  /** Opens a browser in which a user is signed in. */
  signedIn(email?: string): Promise<Browser>
  /** Creates a user, and in the user's browser a project with the key WEB. */
  withProject(): Promise<{ readonly caller: TestCaller & { readonly email: string }; readonly browser: Browser }>
  /** Creates a set-up link. @returns its code */
  setupCode(email: string): Promise<string>
}

/** Opens one host with the portal for all tests of the current suite. */
export function portalHost(
  engine: Engine,
  { settings = {}, ...options }: TestHostOptions & { readonly settings?: object } = {},
): PortalHost {
  const cleanups: (() => Promise<void> | void)[] = []
  const origin = options.baseUrl
  let host: TestHost
  let users = 0
  before(async () => {
    host = await testHost(
      { after: work => void cleanups.unshift(work) },
      { engine, config: { plugins: { portal: settings } }, now: () => portal.now, ...options },
    )
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
  const portal: PortalHost = {
    now: new Date('2026-06-01T09:00:00Z'),
    get host() {
      return host
    },
    browser: ip => newBrowser(host.app, origin, ip),
    async setupCode(email) {
      const { text } = await host.command('portal setup-link', { user: email })
      return /\/setup#(\S+)/.exec(text!)![1]!
    },
    async newUser() {
      const email = `person${++users}@example.com`
      const caller = await host.user(email)
      await host.browser(email)
      return { ...caller, email }
    },
    async withProject() {
      const caller = await portal.newUser()
      const browser = await portal.signedIn(caller.email)
      await browser.get('/projects')
      await browser.send('/projects', { key: 'WEB', name: 'Web', description: '' })
      return { caller, browser }
    },
    async signedIn(email) {
      const browser = newBrowser(host.app, origin)
      const address = email ?? (await portal.newUser()).email
      await browser.get('/sign-in')
      const done = await browser.send('/sign-in', { email: address, password: PASSWORD, return_to: '/' })
      if (done.status !== 303) throw new Error(`sign-in failed: ${done.status} ${done.text}`)
      return browser
    },
  }
  return portal
}
