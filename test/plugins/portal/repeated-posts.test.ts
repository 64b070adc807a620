import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { portalHost, type Browser, type Page } from './portal-host.ts'

const PATH = '/settings/integrations'

forEachEngine('a form that is posted twice', engine => {
  const portal = portalHost(engine)
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  before(async () => {
    ;({ caller, browser } = await portal.withProject())
  })

  const tokenIn = ({ text }: Page): string => /svc_pat_[0-9A-Za-z]{38}/.exec(text)![0]
  const tokens = async (name: string): Promise<number> => {
    const rows = await portal.host.sql`select 1 from core.tokens where user_id = ${caller.userId} and name = ${name}`
    return rows.length
  }
  /** Opens a page. @returns sends its form, as often as the test wants */
  const open = async (page: string, address: string) => {
    const { text } = await browser.get(page)
    const once = /name="once"\s+value="([^"]+)"/.exec(text)![1]!
    const proof = browser.proof(address)!
    return (fields: Record<string, string>) => browser.post(address, { proof, once, ...fields })
  }
  const token = (name: string) => ({ name, scope: 'write', lifetime: '90' })

  test('a double click on “Issue a token” issues one, which both answers and a reload of them show', async () => {
    const send = await open(PATH, `${PATH}/tokens`)
    const pages = await Promise.all([send(token('double')), send(token('double'))])
    assert.equal(tokenIn(pages[0]), tokenIn(pages[1]))
    assert.equal(tokenIn(await send(token('double'))), tokenIn(pages[0]))
    assert.equal(await tokens('double'), 1)
  })

  test('another value, or the same in a page that was loaded again, is another form', async () => {
    const send = await open(PATH, `${PATH}/tokens`)
    const first = await send(token('first'))
    assert.notEqual(tokenIn(await send(token('second'))), tokenIn(first))
    const again = await open(PATH, `${PATH}/tokens`)
    assert.notEqual(tokenIn(await again(token('first'))), tokenIn(first))
    assert.equal(await tokens('first'), 2)
  })

  test('another person with the same page gets nothing of it', async () => {
    const send = await open(PATH, `${PATH}/tokens`)
    const [own, other] = [await send(token('mine')), await portal.signedIn()]
    const { text } = await browser.get(PATH)
    const once = /name="once"\s+value="([^"]+)"/.exec(text)![1]!
    await other.get(PATH)
    const theirs = await other.send(`${PATH}/tokens`, { ...token('mine'), once })
    assert.notEqual(tokenIn(theirs), tokenIn(own))
  })

  test('a double click creates one item, and a refused form is refused each time', async () => {
    const send = await open('/projects/WEB/add', '/projects/WEB/add')
    const refused = await Promise.all([send({ line: '' }), send({ line: '' }), send({ line: '' })])
    assert.deepEqual(
      refused.map(({ status }) => status),
      [422, 422, 422],
    )
    const done = await Promise.all([send({ line: 'Once' }), send({ line: 'Once' })])
    assert.deepEqual(
      done.map(({ status }) => status),
      [303, 303],
    )
    assert.equal(done[0].location, done[1].location)
    const { items } = await caller.call('tasks_list', { project_key: 'WEB' })
    assert.equal(items.length, 1)
  })
})
