import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'

forEachEngine('notes', engine => {
  const cleanups: (() => Promise<void> | void)[] = []
  let host: TestHost
  let projects = 0
  before(async () => {
    host = await testHost(
      { after: work => void cleanups.unshift(work) },
      { engine, config: { plugins: { notes: {} } } },
    )
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
  const newProject = async (): Promise<string> => {
    const key = `P${++projects}`
    await host.command('project create', { key, name: key, user: 'owner@example.com' })
    return key
  }
  const refsOf = (items: { ref: string }[]) => items.map(item => item.ref)

  verifies(
    ['notes_create.create', 'notes_create.title', 'notes_create.project_required'],
    'a note has a title, a body and labels, and needs a project',
    async () => {
      const key = await newProject()
      const { item } = await host.call('notes_create', {
        project_key: key,
        title: '議事録',
        body: '# 決定\r\n- 😀',
        labels: ['meeting'],
      })
      assert.equal(item.type, 'note')
      assert.deepEqual(item.labels, ['meeting'])
      assert.equal((await host.call('items_get', { item_ref: item.ref })).item.detail, '# 決定\r\n- 😀')
      await assert.rejects(host.call('notes_create', { title: 'x' }), {
        code: 'missing_argument',
        field: 'project_key',
      })
      for (const title of ['', 'x'.repeat(201)]) {
        await assert.rejects(host.call('notes_create', { project_key: key, title }), {
          code: 'invalid_argument',
          field: 'title',
        })
      }
      assert.equal(
        (await host.call('notes_create', { project_key: key, title: '題'.repeat(200) })).item.title.length,
        200,
      )
      assert.deepEqual((await host.call('tasks_list', { project_key: key })).items, [])
    },
  )

  verifies(
    ['notes_list.detail', 'notes_list.filters', 'notes_list.paging', 'notes_list.includes'],
    'notes are listed with excerpts, filtered, paged and expanded like tasks',
    async () => {
      const key = await newProject()
      for (let n = 1; n <= 12; n++)
        await host.call('notes_create', { project_key: key, title: `Note ${n}`, body: `Body ${n}` })
      await host.call('items_create', { project_key: key, title: 'Note to self' })
      const page = await host.call('notes_list', { project_key: key })
      assert.equal(page.items.length, 10)
      assert.equal(page.has_more, true)
      assert.equal(page.items[0].detail, 'Body 12')
      const rest = await host.call('notes_list', { project_key: key, offset: page.next_offset })
      assert.equal(new Set(refsOf([...page.items, ...rest.items])).size, 12)
      assert.equal((await host.call('notes_list', { project_key: key, title_contains: 'note 1' })).items.length, 4)
      assert.equal((await host.call('notes_list', { q: `project:${key} detail:"Body 7"` })).items.length, 1)
      const wide = await host.call('notes_list', {
        project_key: key,
        limit: 1,
        include_timestamps: true,
        include_detail: false,
      })
      assert.ok(wide.items[0].updated_at && !('detail' in wide.items[0]))
      assert.equal((await host.statements(() => host.call('notes_list', { project_key: key }))).length, 1)
      await assert.rejects(host.call('notes_list', { limit: 101 }), { code: 'invalid_argument' })
    },
  )

  verifies(
    ['library_tree_get.tree', 'library_tree_get.unplaced', 'library_tree_get.sort'],
    'the library shows folders with their notes, and notes without a folder under the root',
    async () => {
      const key = await newProject()
      const note = async (title: string): Promise<string> =>
        (await host.call('notes_create', { project_key: key, title })).item.ref
      const [b, a, loose] = [await note('B'), await note('A'), await note('Loose')]
      const place = (ref: string, path?: string) => host.command('note place', { ref, path, user: 'owner@example.com' })
      await place(b, 'Guides/Setup')
      await place(a, 'guides/setup')
      const tree = async (sort?: string) =>
        (await host.call('library_tree_get', { project_key: key, ...(sort && { sort }) })).library
      const { folders, notes, total_notes: total } = await tree()
      assert.equal(total, 3)
      assert.deepEqual(refsOf(notes), [loose])
      assert.equal(folders.length, 1)
      assert.equal(folders[0].name, 'Guides')
      assert.deepEqual(refsOf(folders[0].folders[0].notes), [b, a])
      assert.deepEqual(refsOf((await tree('title')).folders[0].folders[0].notes), [a, b])
      await host.call('items_patch', { item_ref: b, title: 'B2' })
      assert.deepEqual(refsOf((await tree('updated')).folders[0].folders[0].notes), [b, a])
      assert.deepEqual(refsOf((await tree('created')).folders[0].folders[0].notes), [a, b])
      await place(b)
      assert.equal((await tree()).notes.length, 2)
      await assert.rejects(host.call('library_tree_get', { project_key: 'NOPE' }), { code: 'not_found' })
      assert.equal((await host.statements(() => tree())).length, 1)
    },
  )

  verifies(
    ['note_revisions_list.history', 'note_revisions_get.revision', 'item.body_revisions'],
    'every former version of a note can be read and restored',
    async () => {
      const key = await newProject()
      const { item } = await host.call('notes_create', { project_key: key, title: 'Plan', body: 'one' })
      await host.call('items_patch', { item_ref: item.ref, detail_append: ' two' })
      await host.call('items_patch', { item_ref: item.ref, title: 'Plan B' })
      const rewritten = await host.call('items_rewrite_detail', {
        item_ref: item.ref,
        new_detail: 'three',
        instruction: 'shorter',
      })
      const { revisions } = await host.call('note_revisions_list', { item_ref: item.ref })
      assert.deepEqual(
        revisions.map((each: { title: string; length: number }) => [each.title, each.length]),
        [
          ['Plan B', 7],
          ['Plan', 7],
          ['Plan', 3],
        ],
      )
      assert.equal(revisions[0].revision_id, rewritten.revision_id)
      assert.equal(revisions[0].note, 'shorter')
      const { revision } = await host.call('note_revisions_get', {
        item_ref: item.ref,
        revision_id: revisions[2].revision_id,
      })
      assert.equal(revision.body, 'one')
      assert.match(revision.created_at, /Z$/)
      const other = await host.user(`${engine}@example.com`)
      await assert.rejects(
        other.call('note_revisions_get', { item_ref: item.ref, revision_id: revisions[2].revision_id }),
        { code: 'not_found' },
      )
      const { item: second } = await host.call('notes_create', { project_key: key, title: 'Other' })
      await assert.rejects(
        host.call('note_revisions_get', { item_ref: second.ref, revision_id: revisions[2].revision_id }),
        { code: 'not_found', field: 'revision_id' },
      )
    },
  )
})
