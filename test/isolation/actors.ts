import type { TestCaller, TestHost } from 'tasuki/testing'
import { issueToken } from '../../core/identity/tokens.ts'
import { makeCaller } from '../../core/testing/caller.ts'
import { KEY } from '../bench/statements.ts'
import { answer, authorize, CALLBACK } from '../plugins/portal/client-app.ts'
import type { Browser, PortalHost } from '../plugins/portal/portal-host.ts'
import { MARKER, projectId, share, type Actor } from './world.ts'

/** All callers whose answers the tests check, and the browsers of those who have one. */
export interface Actors {
  readonly all: readonly Actor[]
  readonly browsers: ReadonlyMap<string, Browser>
  /** A member between the first and the second reading. */
  readonly former: TestCaller
}

/** Creates users around the owner's project: an editor, a viewer, a former member, a stranger, and credentials of each kind. */
export async function addActors(portal: PortalHost): Promise<Actors> {
  const { host } = portal
  const browsers = new Map<string, Browser>()
  const all: Actor[] = []
  const add = (name: string, { call, rpc, token }: TestCaller, stranger: boolean): void =>
    void all.push({ name, call, rpc, token, stranger })
  const person = async (name: string, role: 'editor' | 'viewer' | null) => {
    const caller = await portal.newUser()
    if (role) await share(host, KEY, caller.userId, role)
    await caller.call('items_create', { project_key: 'INBOX', title: `Own task of ${name}` })
    browsers.set(name, await portal.signedIn(caller.email))
    add(name, caller, role === null)
    return caller
  }
  const editor = await person('editor', 'editor')
  await person('viewer', 'viewer')
  const former = await person('former member', null)
  await person('other owner', null)
  add('credential for one project', await host.credential({ projects: [await projectId(host, KEY)] }), false)
  const name = `${MARKER} credential`
  const { value } = await host.write(ctx =>
    issueToken(ctx, { userId: editor.userId, name: 'reading token', scope: 'read' }),
  )
  add('reading token', makeCaller(host.app, editor.userId, value), false)
  add('app that reads', await connect(host, editor.userId, browsers.get('editor')!, 'read'), false)
  add('app', await connect(host, editor.userId, browsers.get('editor')!, 'read write'), false)
  // The owner works with a credential whose name only the owner may read.
  await host.write(async ctx => {
    await ctx.db.updateTable('core.tokens').set({ name }).where('user_id', '=', host.userId).execute()
    ctx.claimsChanged([host.userId])
  })
  return { all, browsers, former }
}

/** Connects an app over OAuth. */
async function connect(host: TestHost, userId: string, browser: Browser, scope: string): Promise<TestCaller> {
  const { id, verifier, page } = await authorize(host.app, browser, { name: `App for ${scope}`, scope })
  const { address } = await answer(browser, page, { decision: 'allow', scope: scope === 'read' ? 'read' : 'write' })
  const code = new URL(address!).searchParams.get('code')!
  const redeemed = await host.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { host: 'localhost:3000', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id: id,
      code_verifier: verifier,
    }).toString(),
  })
  return makeCaller(host.app, userId, redeemed.json<{ access_token: string }>().access_token)
}
