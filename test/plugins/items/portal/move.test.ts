import assert from 'node:assert/strict'
import { before } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { acceptAll } from '../../../members.ts'
import { verifies } from '../../../verifies.ts'
import { portalHost, type Browser } from '../../portal/portal-host.ts'

forEachEngine('the page that moves an item', engine => {
  const portal = portalHost(engine)
  let owner: Browser
  let editor: Browser
  let viewer: Browser
  let caller: Awaited<ReturnType<typeof portal.newUser>>

  before(async () => {
    caller = await portal.newUser()
    owner = await portal.signedIn(caller.email)
    await send(owner, '/projects', '/projects', { key: 'SHOP', name: 'Web shop', description: '' })
    const guests = { editor: await portal.newUser(), viewer: await portal.newUser() }
    for (const [role, { email }] of Object.entries(guests)) {
      await send(owner, '/projects/SHOP/members', '/projects/SHOP/members', { email, role })
      await portal.host.write(ctx => acceptAll(ctx, email))
    }
    editor = await portal.signedIn(guests.editor.email)
    viewer = await portal.signedIn(guests.viewer.email)
    await caller.call('sprints_create', { project_key: 'SHOP', name: 'Sprint 2' })
  })
  /** Submits a form of a page. */
  const send = async (browser: Browser, page: string, address: string, fields = {}) => {
    await browser.get(page)
    return browser.send(address, fields)
  }

  verifies(
    'items_move_project.portal',
    'an item moves to another project after the losses are shown, and its former address redirects',
    async () => {
      const to = 'MOVED'
      await send(owner, '/projects', '/projects', { key: to, name: 'Elsewhere', description: '' })
      const create = async (args: object): Promise<string> =>
        (await caller.call('items_create', { project_key: 'SHOP', title: 'Moves', ...args })).item.ref.split('#')[1]
      const of = (n: string) => `/projects/SHOP/items/${n}`
      const plain = await create({})
      assert.match((await owner.get(of(plain))).text, /Move to another project/)
      const moved = await send(owner, `${of(plain)}/move`, `${of(plain)}/move`, { to_project: to, agreed: 'no' })
      assert.equal(moved.location, `/projects/MOVED/items/${plain}`)
      assert.equal((await owner.get(of(plain))).location, `/projects/MOVED/items/${plain}`)
      assert.match((await owner.get(`/projects/MOVED/items/${plain}/history`)).text, /<q>SHOP<\/q>[\s\S]*<q>MOVED<\/q>/)
      const losing = await create({ sprint: 'Sprint 2', labels: ['mobile'] })
      const page = `${of(losing)}/move`
      const asked = await send(owner, page, page, { to_project: to, agreed: 'no' })
      assert.equal(asked.location, `${page}?to=MOVED`)
      const { text } = await owner.get(asked.location)
      assert.match(text, /Not available in MOVED[\s\S]*Sprint 2[\s\S]*Removed[\s\S]*mobile/)
      assert.equal((await owner.get(of(losing))).status, 200)
      const agreed = await send(owner, asked.location, page, { to_project: to, agreed: 'yes' })
      assert.equal(agreed.location, `/projects/MOVED/items/${losing}`)
      assert.match((await owner.get(agreed.location)).text, new RegExp(`Item moved. It is MOVED#${losing} now.`))
      // A member of one project cannot move items to another project of its owner, and viewers cannot move items at all.
      const stays = await create({})
      const shared = `/projects/${encodeURIComponent(`${caller.email}/SHOP`)}/items/${stays}`
      assert.match((await editor.get(`${shared}/move`)).text, /There is no other project/)
      assert.equal((await viewer.get(`${shared}/move`)).status, 403)
      assert.doesNotMatch((await viewer.get(shared)).text, /Move to another project/)
    },
  )
})
