import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { nameKey } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'

forEachEngine('labels on items', engine => {
  const { newUser, statements } = sharedHost(engine)

  verifies(
    ['item.labels_auto_created', 'project_labels_list.auto_created'],
    'labels set on an item are defined in its project, once for all cases and widths',
    async () => {
      const user = await newUser()
      await user.createProject('APP')
      const { item } = await user.call('items_create', {
        project_key: 'INBOX',
        title: 'one',
        labels: [' Zeta ', 'alpha', 'ＺＥＴＡ'],
      })
      assert.deepEqual(item.labels, ['Zeta', 'alpha'])
      await user.call('items_create', { project_key: 'INBOX', title: 'two', labels: ['zeta'] })
      await user.call('items_create', { project_key: 'APP', title: 'three', labels: ['zeta'] })
      const list = async (project_key: string) =>
        (await user.call('project_labels_list', { project_key })).labels.map(
          (label: { name: string; item_count: number; display_order: number }) => [
            label.name,
            label.item_count,
            label.display_order,
          ],
        )
      assert.deepEqual(await list('INBOX'), [
        ['Zeta', 2, 1],
        ['alpha', 1, 2],
      ])
      assert.deepEqual(await list('APP'), [['zeta', 1, 1]])
    },
  )

  test('setting labels replaces the set, and an equivalent set changes nothing', async () => {
    const user = await newUser()
    await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['a', 'b'] })
    const patch = (labels: string[]) => user.call('items_patch', { item_ref: '#1', labels })
    const changed = await patch(['c', 'B'])
    assert.deepEqual([changed.item.labels, changed.changed], [['b', 'c'], ['labels']])
    assert.deepEqual((await patch(['C', ' b', 'c'])).changed, [])
    const emptied = await patch([])
    assert.deepEqual([emptied.changed, emptied.item.labels], [['labels'], []])
    const { activities } = await user.call('activities_list', { item_ref: '#1', kind: 'item.labels.changed' })
    assert.deepEqual(
      activities.map(({ from, to }: { from: unknown; to: unknown }) => [from, to]),
      [
        [['b', 'c'], []],
        [
          ['a', 'b'],
          ['b', 'c'],
        ],
      ],
    )
  })

  verifies(
    'labels.signs',
    'names that all begin with + or - are added and removed, in any width, and the others stay',
    async () => {
      const user = await newUser()
      await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['a', 'b', 'keep'] })
      const patch = (...labels: string[]) => user.call('items_patch', { item_ref: '#1', labels })
      const both = await patch('+ C', ' -A', '－b')
      assert.deepEqual([both.item.labels, both.changed], [['keep', 'C'], ['labels']])
      assert.deepEqual((await patch('＋c', '+KEEP', '-a')).changed, [], 'all of it is so already')
      const added = await patch('+a')
      assert.deepEqual([added.item.labels, added.warnings], [['a', 'keep', 'C'], undefined])
      const typo = await patch('-kep', '+b')
      assert.deepEqual([typo.item.labels, typo.warnings], [['a', 'b', 'keep', 'C'], ['INBOX has no label "kep".']])
      const { labels } = await user.call('project_labels_list', { project_key: 'INBOX' })
      assert.deepEqual(
        labels.map((label: { name: string }) => label.name),
        ['a', 'b', 'keep', 'C'],
      )
      const { activities } = await user.call('activities_list', { item_ref: '#1', kind: 'item.labels.changed' })
      assert.deepEqual(activities.at(-1).to, ['keep', 'C'])
    },
  )

  verifies(
    'labels.signs',
    'a mixture, a contradiction and a sign without a name are refused with the correct form',
    async () => {
      const user = await newUser()
      await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['a'] })
      await user.call('items_create', { project_key: 'INBOX', title: 'two' })
      const refusal = async (labels: string[]): Promise<string> => {
        const messages = []
        for (const [tool, target] of [
          ['items_patch', { item_ref: '#1' }],
          ['items_bulk_patch', { item_refs: ['#1', '#2'] }],
          ['items_bulk_patch_preview', { item_refs: ['#1', '#2'] }],
        ] as const) {
          const error = await user.call(tool, { ...target, labels }).catch((refused: unknown) => refused)
          assert.deepEqual([error.code, error.field], ['invalid_argument', 'labels'])
          messages.push(error.message)
        }
        assert.equal(new Set(messages).size, 1)
        return messages[0]!
      }
      assert.equal(await refusal(['+x', 'bug']), 'labels mixes "bug", which replaces, with "+x", which changes.')
      assert.equal(await refusal(['+x', '-X']), 'labels both adds and removes "x".')
      assert.equal(await refusal(['+', '-x']), '"" is no label: it has only spaces.')
      assert.match(await refusal(['n'.repeat(65)]), /: it has 65 characters\.$/)
      const mixed = await user
        .call('items_patch', { item_ref: '#1', labels: ['+x', 'b'] })
        .catch((error: unknown) => error)
      assert.match(mixed.hint, /plain names to replace the set, or begin each with \+ to add or - to remove/)
      assert.deepEqual((await user.call('items_get', { item_ref: '#1' })).item.labels, ['a'])
    },
  )

  test('a label whose own name begins with a sign is added and removed by a second sign', async () => {
    const user = await newUser()
    await user.call('project_labels_create', { project_key: 'INBOX', name: '+1' })
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['++1', '+-1'] })
    assert.deepEqual(item.labels, ['+1', '-1'])
    const patch = async (...labels: string[]) =>
      (await user.call('items_patch', { item_ref: '#1', labels })).item.labels
    assert.deepEqual(await patch('-+1', '+1'), ['-1', '1'])
    assert.deepEqual(await patch('--1', '++1'), ['+1', '1'])
    const { items } = await user.call('tasks_list', { q: 'label:"+1"' })
    assert.equal(items.length, 1)
  })

  test('tools that create items accept +name as the name, and refuse removals', async () => {
    const user = await newUser()
    const { item } = await user.call('notes_create', { project_key: 'INBOX', title: 'note', labels: ['+a', '+b'] })
    assert.deepEqual(item.labels, ['a', 'b'])
    for (const tool of ['items_create', 'notes_create']) {
      const call = user.call(tool, { project_key: 'INBOX', title: 'one', labels: ['+a', '-b'] })
      await assert.rejects(call, {
        code: 'invalid_argument',
        field: 'labels',
        message: 'A new item has no label "b" to remove.',
      })
    }
  })

  test('adding cannot exceed 50 labels per item', async () => {
    const user = await newUser()
    const labels = Array.from({ length: 49 }, (_, n) => `label ${n}`)
    await user.call('items_create', { project_key: 'INBOX', title: 'one', labels })
    await user.call('items_create', { project_key: 'INBOX', title: 'two' })
    const change = { labels: ['+x', '+y'] }
    await assert.rejects(user.call('items_patch', { item_ref: '#1', ...change }), {
      code: 'limit_exceeded',
      message: 'INBOX#1 would have 51 labels; 50 is the most.',
    })
    const { results } = await user.confirmed('items_bulk_patch', { item_refs: ['#1', '#2'], ...change })
    assert.deepEqual([results[0].error.code, results[1].changed], ['limit_exceeded', ['labels']])
    await user.call('items_patch', { item_ref: '#1', labels: [...change.labels, '-label 0'] })
  })

  test('one label is added to 60 items in three calls, without reading them first', async () => {
    const user = await newUser()
    for (let n = 0; n < 60; n++)
      await user.call('items_create', { project_key: 'INBOX', title: `${n}`, labels: [`own ${n % 7}`, 'bug'] })
    const refs = Array.from({ length: 60 }, (_, n) => `#${n + 1}`)
    for (const item_refs of [refs.slice(0, 25), refs.slice(25, 50), refs.slice(50)]) {
      const call = { item_refs, labels: ['+q3', '-bug'] }
      const { details } = await user.call('items_bulk_patch', call).catch((error: unknown) => error)
      const all = item_refs.map(ref => `INBOX${ref}`).join(', ')
      assert.equal(
        details.effect,
        `Add label q3, remove label bug on ${item_refs.length} of ${item_refs.length} items (${all})`,
      )
      const { succeeded } = await user.call('items_bulk_patch', { ...call, confirm_token: details.confirm_token })
      assert.equal(succeeded, item_refs.length)
    }
    const count = async (q: string) => (await user.call('tasks_list', { q, include_total: true, limit: 1 })).total
    assert.deepEqual([await count('label:q3'), await count('label:bug'), await count('label:"own 3"')], [60, 0, 9])
  })

  test('labels have 1 to 64 characters and an item has at most 50', async () => {
    const user = await newUser()
    const create = (labels: string[]) => user.call('items_create', { project_key: 'INBOX', title: 'one', labels })
    await create(Array.from({ length: 50 }, (_, n) => `label ${n}`))
    for (const labels of [['n'.repeat(65)], [''], ['ok', '  '], Array.from({ length: 51 }, (_, n) => `label ${n}`)]) {
      await assert.rejects(
        create(labels),
        ({ code, field }) => code === 'invalid_argument' && field.startsWith('labels'),
      )
    }
    assert.equal((await user.call('tasks_list', {})).items.length, 1)
  })

  test('a bulk change and its preview treat each item by its own labels and project', async () => {
    const user = await newUser()
    await user.createProject('APP')
    await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['a', 'old'] })
    await user.call('items_create', { project_key: 'APP', title: 'two' })
    await user.call('items_create', { project_key: 'INBOX', title: 'three', labels: ['new', 'A'] })
    const change = { item_refs: ['#1', '#2', '#3'], labels: ['a', 'new'] }
    const preview = await user.call('items_bulk_patch_preview', change)
    assert.match(JSON.stringify(preview), /"old"/)
    assert.equal(
      (await user.call('project_labels_list', { project_key: 'APP' })).labels.length,
      0,
      'the preview writes nothing',
    )
    const { results } = await user.confirmed('items_bulk_patch', change)
    assert.deepEqual(
      results.map((result: { changed: string[] }) => result.changed),
      [['labels'], ['labels'], []],
    )
    for (const item_ref of ['#1', '#2', '#3']) {
      assert.deepEqual((await user.call('items_get', { item_ref })).item.labels, ['a', 'new'])
    }
  })

  verifies(
    ['filter.key_label', 'filter.names', 'filter.none_any'],
    'label: finds any of the names, none and any; has:label and no:label likewise',
    async () => {
      const user = await newUser()
      await user.call('items_create', { project_key: 'INBOX', title: 'bug', labels: ['Bug'] })
      await user.call('items_create', { project_key: 'INBOX', title: 'review', labels: ['needs review', 'バグ'] })
      await user.call('items_create', { project_key: 'INBOX', title: 'plain' })
      const find = async (q: string) =>
        (await user.call('tasks_list', { q })).items.map((item: { title: string }) => item.title).toSorted()
      assert.deepEqual(await find('label:bug'), ['bug'])
      assert.deepEqual(await find('label:ＢＵＧ,"Needs Review"'), ['bug', 'review'])
      assert.deepEqual(await find('label:ﾊﾞｸﾞ'), ['review'])
      assert.deepEqual(await find('-label:bug'), ['plain', 'review'])
      assert.deepEqual(await find('label:!=bug'), ['plain', 'review'])
      assert.deepEqual(await find('label:none'), ['plain'])
      assert.deepEqual(await find('label:none,bug'), ['bug', 'plain'])
      assert.deepEqual(await find('label:any'), ['bug', 'review'])
      assert.deepEqual(await find('has:label'), ['bug', 'review'])
      assert.deepEqual(await find('no:label'), ['plain'])
      assert.deepEqual(await find('label:unheard'), [])
    },
  )

  verifies('filter.key_schedule', 'an undated item with the label someday has the schedule someday', async () => {
    const user = await newUser()
    await user.call('items_create', { project_key: 'INBOX', title: 'later', labels: ['SomeDay'] })
    await user.call('items_create', {
      project_key: 'INBOX',
      title: 'dated',
      labels: ['someday'],
      due_date: '2030-01-01',
    })
    await user.call('items_create', { project_key: 'INBOX', title: 'plain' })
    for (const [schedule, title] of [
      ['someday', 'later'],
      ['dated', 'dated'],
      ['anytime', 'plain'],
    ]) {
      const { items } = await user.call('tasks_list', { q: `schedule:${schedule}` })
      assert.deepEqual(
        items.map((item: { title: string }) => item.title),
        [title],
      )
    }
  })

  verifies('items_grep.fields', 'items_grep searches the names of labels, by default too', async () => {
    const user = await newUser()
    await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['needle in hay'] })
    await user.call('items_create', { project_key: 'INBOX', title: 'two', labels: ['hay'] })
    for (const fields of [undefined, ['labels']]) {
      const found = await user.call('items_grep', { pattern: 'needle', ...(fields && { fields }) })
      assert.equal(found.items.length, 1)
      assert.match(JSON.stringify(found), /needle/)
    }
    assert.equal((await user.call('items_grep', { pattern: 'needle', fields: ['title'] })).items.length, 0)
  })

  test('labels cost two statements, or three if some are removed, whatever their number', async () => {
    const user = await newUser()
    const writes = async (name: string, args: object) => {
      const sent = await statements(() =>
        name === 'items_bulk_patch' ? user.confirmed(name, args) : user.call(name, args),
      )
      return sent.filter(text => /labels\./.test(text) && !text.includes('as ref')).length
    }
    const many = Array.from({ length: 30 }, (_, n) => `label ${n}`)
    assert.equal(await writes('items_create', { project_key: 'INBOX', title: 'one', labels: ['a'] }), 2)
    assert.equal(await writes('items_create', { project_key: 'INBOX', title: 'two', labels: many }), 2)
    assert.equal(await writes('items_create', { project_key: 'INBOX', title: 'three', labels: [] }), 0)
    assert.equal(await writes('items_create', { project_key: 'INBOX', title: 'four' }), 0)
    assert.equal(await writes('items_patch', { item_ref: '#1', labels: ['b'] }), 3)
    assert.equal(await writes('items_patch', { item_ref: '#1', labels: ['b'] }), 1)
    assert.equal(await writes('items_bulk_patch', { item_refs: ['#1', '#2', '#3', '#4'], labels: ['c', 'd'] }), 4)
    const list = await statements(() => user.call('tasks_list', {}))
    assert.equal(list.length, 1)
  })

  test('parallel calls that set the same new labels all succeed and define each label once', async () => {
    const user = await newUser()
    const names = ['x', 'y', 'z', 'w']
    const rotated = (n: number) => [...names.slice(n % 4), ...names.slice(0, n % 4)]
    await user.call('items_create', { project_key: 'INBOX', title: 'first' })
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        user.call('items_create', { project_key: 'INBOX', title: `t${n}`, labels: rotated(n) }),
      ),
    )
    assert.ok(made.every(({ item }) => item.labels.length === 4))
    const { labels } = await user.call('project_labels_list', { project_key: 'INBOX' })
    assert.deepEqual(
      labels.map((label: { name: string; item_count: number }) => [label.name, label.item_count]).toSorted(),
      [
        ['w', 8],
        ['x', 8],
        ['y', 8],
        ['z', 8],
      ],
    )
  })

  verifies(
    'filter.plugin_keys',
    'with the plugin off nothing mentions labels; with it on again they are back',
    async t => {
      const on = await testHost(t, { engine })
      await on.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['a'] })
      const kept = engine === 'postgres' ? { database: on.databaseOptions } : {}
      if (engine === 'postgres') await on.close()
      const off = await testHost(t, { engine, ...kept, config: { plugins: { labels: false } } })
      const tools = await off.listTools()
      assert.ok(tools.every(tool => !tool.name.includes('label')))
      for (const { name, inputSchema, outputSchema } of tools) {
        assert.doesNotMatch(JSON.stringify([inputSchema, outputSchema]), /"labels"/, name)
      }
      await assert.rejects(off.call('tasks_list', { q: 'label:a' }), { code: 'invalid_query' })
      await assert.rejects(off.call('items_create', { project_key: 'INBOX', title: 'x', labels: [] }), {
        code: 'unknown_argument',
      })
      await off.call('items_create', { project_key: 'INBOX', title: 'two' })
      if (engine === 'pglite') return
      assert.ok(!('labels' in (await off.call('items_get', { item_ref: '#1' })).item))
      await off.close()
      const again = await testHost(t, { engine, ...kept })
      assert.deepEqual((await again.call('items_get', { item_ref: '#1' })).item.labels, ['a'])
    },
  )
})

test('the key of a label is the same for every case, width and surrounding space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), name => {
      const key = nameKey(name)
      assert.equal(nameKey(` ${name}\u3000`), key)
      assert.equal(nameKey(name.normalize('NFKC')), key)
      assert.equal(nameKey(name.normalize('NFD')), key)
    }),
  )
})
