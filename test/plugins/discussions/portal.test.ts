import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { portalHost, type Browser } from '../portal/portal-host.ts'

forEachEngine('the comments of an item in the portal', engine => {
  const portal = portalHost(engine)
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  let ref: string
  let at: string
  /** An editor and a viewer of the project. */
  let people: Record<'editor' | 'viewer', { user: typeof caller; browser: Browser; at: string; ref: string }>

  before(async () => {
    ;({ caller, browser } = await portal.withProject())
    const { item } = await caller.call('items_create', { project_key: 'WEB', title: 'Draw the logo' })
    ref = item.ref
    at = `/projects/WEB/items/${ref.split('#')[1]}`
    const invite = async (role: 'editor' | 'viewer') => {
      const user = await portal.newUser()
      await browser.get('/projects/WEB/members')
      await browser.send('/projects/WEB/members', { email: user.email, role })
      await portal.host.write(ctx => acceptAll(ctx, user.email))
      const key = `${caller.email}/WEB`
      const own = { at: at.replace('WEB', encodeURIComponent(key)), ref: ref.replace('WEB', key) }
      return { user, browser: await portal.signedIn(user.email), ...own }
    }
    people = { editor: await invite('editor'), viewer: await invite('viewer') }
  })

  const comment = async (user: Pick<typeof caller, 'call'>, item_ref: string, body: string): Promise<string> =>
    (await user.call('discussions_create', { item_ref, body })).discussion.id
  const bodies = async (): Promise<readonly string[]> =>
    (await caller.call('discussions_list', { item_ref: ref })).discussions.map(({ body }: { body: string }) => body)
  const deletion = (id: string, of = at): string => `${of}/comments/${id}/delete`

  test('a person deletes a comment, and reads before what is lost', async () => {
    const kept = await comment(caller, ref, 'Blue, please')
    const id = await comment(caller, ref, 'Rather **green**')
    const file = { filename: 'a.txt', mime_type: 'text/plain', content_base64: 'YQ==' }
    await caller.call('attachments_upload', { ...file, parent_kind: 'discussion', parent_id: id })
    const name = caller.email.split('@')[0]
    for (const page of [at, `${at}/comments`]) {
      const shown = (await browser.get(page)).text
      assert.ok(shown.includes('<summary>Delete<span class="unseen"> Rather **green**</span></summary>'), page)
      const lost = `Once deleted, this comment by &quot;${name}&quot; cannot be restored. The changes of the item keep its text.`
      assert.ok(shown.includes(`<p>${lost} 1 file of the comment will be deleted too.</p>`), page)
      assert.ok(shown.includes(`<p>${lost}</p>`), page)
      assert.ok(shown.includes(`action="${deletion(kept)}"`), page)
    }
    await browser.get('/language/ja')
    const japanese = (await browser.get(at)).text
    const lostInJapanese = `「${name}」のこのコメントを削除すると、元に戻せません。本文は変更履歴に残ります。`
    assert.ok(japanese.includes(`<p>${lostInJapanese}コメントのファイル1件も削除されます。</p>`))
    await browser.get('/language/en')

    await browser.get(at)
    const deleted = await browser.send(deletion(id))
    assert.deepEqual([deleted.status, deleted.location], [303, `${at}#comments`])
    const after = (await browser.get(at)).text
    assert.match(after, /Comment deleted\./)
    assert.match(after, /Deleted comment<\/strong>\s*<q>Rather \*\*green\*\*<\/q>/)
    assert.deepEqual(await bodies(), ['Blue, please'])
  })

  test('its author and the owner of the project may delete a comment, and nobody else', async () => {
    const { editor, viewer } = people
    const mine = await comment(caller, ref, 'Of the owner')
    const theirs = await comment(editor.user, editor.ref, 'Of the editor')
    const shown = (await editor.browser.get(editor.at)).text
    assert.ok(shown.includes(`action="${deletion(theirs, editor.at)}"`))
    assert.ok(!shown.includes(`${mine}/delete`), 'no form for the comment of another')
    for (const page of [viewer.at, `${viewer.at}/comments`])
      assert.doesNotMatch((await viewer.browser.get(page)).text, /<summary>Delete/)
    const { text } = await browser.get(at)
    assert.ok(text.includes(`action="${deletion(theirs)}"`), 'the owner')

    assert.equal((await browser.send(deletion(theirs))).status, 303)
    await browser.get(at)
    assert.equal((await browser.send(deletion(mine))).status, 303)
    assert.ok(!(await bodies()).some(body => body.startsWith('Of the')))
  })

  test('a person changes a comment of their own', async () => {
    const { editor, viewer } = people
    const id = await comment(caller, ref, 'Red, becaus of May 1')
    const edit = `${at}/comments/${id}/edit`
    const shown = (await browser.get(at)).text
    assert.match(shown, new RegExp(`<a href="${edit}"\\s*>Edit<span class="unseen"> Red, becaus of May 1</span>`))
    assert.doesNotMatch(shown, / · edited/)
    for (const other of [editor, viewer]) {
      assert.ok(!(await other.browser.get(other.at)).text.includes(`${id}/edit`))
      assert.equal((await other.browser.get(edit.replace(at, other.at))).status, 403)
    }
    assert.match((await browser.get(edit)).text, /<textarea[^>]*>\n?Red, becaus of May 1<\/textarea>/)
    const empty = await browser.send(edit, { body: ' ' })
    assert.equal(empty.status, 422)
    portal.now = new Date(portal.now.getTime() + 60_000)
    const saved = await browser.send(edit, { body: 'Red, because of May 1' })
    assert.deepEqual([saved.status, saved.location], [303, `${at}#comment-${id}`])
    const after = (await browser.get(at)).text
    assert.match(after, /Saved\./)
    assert.match(after, / · edited/)
    assert.ok(after.includes(`id="comment-${id}"`))
    assert.ok((await bodies()).includes('Red, because of May 1'))
  })

  test('a comment that its author changed elsewhere meanwhile is not overwritten', async () => {
    const id = await comment(caller, ref, 'Round')
    const edit = `${at}/comments/${id}/edit`
    const { text } = await browser.get(edit)
    const shown = /name="shown"\s+value="([^"]+)"/.exec(text)![1]!.replaceAll('&quot;', '"')
    await caller.call('discussions_patch', { discussion_id: id, body: 'Square' })
    const late = await browser.send(edit, { body: 'Rounder', shown })
    assert.equal(late.status, 409)
    assert.match(late.text, /This was changed meanwhile to “Square”/)
    assert.match(late.text, />\n?Rounder<\/textarea>/)
    assert.ok((await bodies()).includes('Square'))
  })

  test('a comment that another tab has deleted meanwhile is refused with a sentence', async () => {
    const tab = await portal.signedIn(caller.email)
    for (const [language, says] of [
      ['en', /The comment has already been deleted\./],
      ['ja', /このコメントはすでに削除されています。/],
    ] as const) {
      const address = deletion(await comment(caller, ref, 'Twice'))
      await tab.get(at)
      await browser.get(`/language/${language}`)
      await browser.get(at)
      assert.equal((await tab.send(address)).status, 303)
      const late = await browser.send(address)
      assert.equal(late.status, 409)
      assert.match(late.text, says)
      assert.match(late.text, /Blue, please/, 'the page of the item is shown again')
    }
    await browser.get('/language/en')
  })
})
