import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from './engines.ts'
import { sharedHost, type Newcomer } from './shared-host.ts'

/** A character of three bytes and one of four: a body of 100,000 of them is larger than a result may be. */
const LONG = '界🦊'.repeat(48_000)

forEachEngine('records with long texts', engine => {
  const { newUser } = sharedHost(engine)
  const withItem = async (): Promise<{ user: Newcomer; ref: string }> => {
    const user = await newUser()
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Long' })
    // A call takes 32,000 characters.
    for (let n = 0; n < 3; n++)
      await user.call('items_patch', { item_ref: item.ref, detail_append: LONG.slice(0, LONG.length / 3) })
    return { user, ref: item.ref }
  }

  test('items_get and items_context_get return a body that is too long in slices', async () => {
    const { user, ref } = await withItem()
    let body = ''
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { item } = await user.call('items_get', { item_ref: ref, ...(offset > 0 && { detail_offset: offset }) })
      body += item.detail
      assert.equal(item.detail_truncated ?? false, item.detail_next_offset !== undefined)
      assert.equal(item.detail_length, 96_000)
      offset = item.detail_next_offset
    }
    assert.ok(body === LONG)
    const { item, warnings } = await user.call('items_context_get', { item_ref: ref })
    assert.deepEqual([item.detail_truncated, item.detail_length], [true, 96_000])
    assert.match(warnings.at(-1), /items_get with detail_offset \d+ reads on/)
  })

  test('a write is not refused because its answer would be too large', async () => {
    const { user, ref } = await withItem()
    const written = await user.call('items_rewrite_detail', { item_ref: ref, new_detail: 'Short' })
    assert.match(written.warnings.at(-1), /the hunks are cut/)
    assert.equal((await user.call('items_get', { item_ref: ref })).item.detail, 'Short')
    await user.createProject('APP')
    const at = { project_key: 'APP', sprint: 'One' }
    await user.call('sprints_create', { project_key: 'APP', name: 'One' })
    const set = await user.call('sprints_note_set', { ...at, slot: 'planning', body: LONG })
    assert.match(set.warnings.at(-1), /The change is made/)
  })

  test('notes of a sprint that are too long together are read in slices', async () => {
    const user = await newUser()
    await user.createProject('APP')
    const at = { project_key: 'APP', sprint: 'One' }
    await user.call('sprints_create', { project_key: 'APP', name: 'One' })
    const bodies = { planning: LONG, review: 'a'.repeat(60_000), retro: 'Short' }
    for (const [slot, body] of Object.entries(bodies)) await user.call('sprints_note_set', { ...at, slot, body })
    const read = { planning: '', review: '', retro: '', assistant_summary: '' }
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const { notes } = await user.call('sprints_note_get', { ...at, ...(offset > 0 && { body_offset: offset }) })
      const slots = Object.keys(read) as (keyof typeof read)[]
      for (const slot of slots) read[slot] += notes[slot]?.body ?? ''
      offset = slots.map(slot => notes[slot]?.body_next_offset).find(each => each !== undefined)
    }
    assert.ok(read.planning === LONG && read.review === bodies.review)
    assert.deepEqual([read.retro, read.assistant_summary], ['Short', ''])
  })

  test('every step of a checklist and every version can be read', async () => {
    const user = await newUser()
    await user.createProject('APP')
    const ref = (await user.call('items_create', { project_key: 'APP', title: 'Steps' })).item.ref
    const content = '界'.repeat(500)
    for (let n = 0; n < 140; n++) await user.call('checklist_add', { item_ref: ref, content: `${n} ${content}` })
    const first = await user.call('checklist_list', { item_ref: ref })
    const rest = await user.call('checklist_list', { item_ref: ref, offset: first.next_offset })
    assert.equal(first.checklist.length + rest.checklist.length, 140)
    assert.deepEqual([rest.total, rest.has_more], [140, undefined])
  })

  test('lists of templates and notifications go on at next_offset', async () => {
    const user = await newUser()
    for (let n = 0; n < 3; n++) await user.call('templates_create', { title: `T${n}`, recurrence_rule: 'FREQ=DAILY' })
    const page = async (offset: number) => user.call('task_templates_list', { limit: 2, offset })
    const [first, last] = [await page(0), await page(2)]
    assert.deepEqual([first.next_offset, last.next_offset, last.templates.length], [2, null, 1])
    const { has_more, next_offset } = await user.call('notifications_list', { offset: 5 })
    assert.deepEqual([has_more, next_offset], [false, null])
  })

  test('a row that alone is too large is shortened, and paging goes on', async () => {
    const user = await newUser()
    await user.createProject('APP')
    const refs: string[] = []
    const title = '界'.repeat(190)
    for (let n = 0; n < 170; n++)
      refs.push((await user.call('items_create', { project_key: 'APP', title: `${n} ${title}` })).item.ref)
    const [hub] = refs as [string]
    for (const relation_type of ['reference', 'enriches'])
      for (let n = 1; n < 170; n += 25)
        await user.confirmed('relations_bulk_create', {
          member_refs: refs.slice(n, n + 25),
          counterpart_ref: hub,
          relation_type,
        })
    const first = await user.call('tasks_list', { project_key: 'APP', include_relations: true, limit: 3 })
    assert.deepEqual([first.items[0].ref, first.has_more, first.next_offset], [hub, true, 1])
    assert.ok(first.items[0].relations.length > 50)
    assert.match(
      first.warnings.at(-1),
      new RegExp(`^${hub} alone .*relations is cut to \\d+; items_context_get reads on`),
    )
    const next = await user.call('tasks_list', { project_key: 'APP', include_relations: true, limit: 3, offset: 1 })
    assert.equal(next.items[0].ref, refs[1])
    const context = await user.call('items_context_get', { item_ref: hub, include: ['relations'] })
    assert.match(context.warnings.at(-1), /^relations is cut; relations_list reads all/)
    const found = new Set<string>()
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page = await user.call('relations_list', { item_ref: hub, offset })
      for (const { id } of page.relations) found.add(id)
      offset = page.next_offset
    }
    assert.equal(found.size, 338)
  })

  test('the context of an item with long comments is cut, and says where the rest is', async () => {
    const user = await newUser()
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Talk' })
    for (let n = 0; n < 7; n++) await user.call('discussions_create', { item_ref: item.ref, body: '界'.repeat(32_000) })
    for (const include of [undefined, ['discussions']]) {
      const context = await user.call('items_context_get', { item_ref: item.ref, ...(include && { include }) })
      assert.equal(context.discussions.length, 7)
      assert.deepEqual(context.warnings, ['discussions is cut; discussions_list reads all.'])
    }
  })

  test('lists of files and labels take an offset', async () => {
    const user = await newUser()
    await user.createProject('APP')
    const { item } = await user.call('items_create', { project_key: 'APP', title: 'Files', labels: ['one', 'two'] })
    for (const filename of ['a.txt', 'b.txt'])
      await user.call('attachments_upload', {
        parent_kind: 'item',
        parent_ref: item.ref,
        filename,
        mime_type: 'text/plain',
        content_base64: 'YQ==',
      })
    const files = await user.call('attachments_list', { parent_kind: 'item', parent_ref: item.ref, offset: 1 })
    const labels = await user.call('project_labels_list', { project_key: 'APP', offset: 1 })
    assert.deepEqual([files.attachments.length, files.attachments[0].filename], [1, 'b.txt'])
    assert.deepEqual([labels.labels.length, labels.labels[0].name], [1, 'two'])
  })
})
