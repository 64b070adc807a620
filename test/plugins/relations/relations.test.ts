import assert from 'node:assert/strict'
import type { ToolFailure } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost, type Newcomer } from '../../shared-host.ts'

interface Row {
  readonly id: string
  readonly relation_type: string
  readonly source_ref: string
  readonly target_ref: string
}

async function withItems(user: Newcomer, count: number): Promise<string[]> {
  const refs: string[] = []
  for (let n = 1; n <= count; n++) {
    refs.push((await user.call('items_create', { project_key: 'INBOX', title: `Item ${n}` })).item.ref)
  }
  return refs
}

const edges = (rows: readonly Row[]): string[] =>
  rows.map(row => `${row.source_ref} ${row.relation_type} ${row.target_ref}`)

forEachEngine('relations', engine => {
  const { newUser, statements } = sharedHost(engine, { config: { plugins: { relations: {} } } })
  const list = async (user: Newcomer, ref: string): Promise<Row[]> =>
    (await user.call('relations_list', { item_ref: ref })).relations

  verifies(
    ['relations_create.create', 'relations_list.both_ends'],
    'a relation is listed at both items, and creating it again changes nothing',
    async () => {
      const user = await newUser()
      const [a, b] = (await withItems(user, 2)) as [string, string]
      const link = { source_item_ref: a, target_item_ref: b, relation_type: 'duplicate' }
      const first = await user.call('relations_create', link)
      assert.equal(first.created, true)
      const again = await user.call('relations_create', link)
      assert.equal(again.created, false)
      assert.equal(again.relation.id, first.relation.id)
      for (const end of [a, b]) assert.deepEqual(edges(await list(user, end)), [`${a} duplicate ${b}`])
      await assert.rejects(user.call('relations_create', { ...link, target_item_ref: a }), { code: 'invalid_argument' })
    },
  )

  verifies(
    ['relations_create.parent_same', 'relations_create.parent_cycle'],
    'parent and child are the parent of an item, and a cycle is refused',
    async () => {
      const user = await newUser()
      const [a, b, c] = (await withItems(user, 3)) as [string, string, string]
      await user.call('relations_create', { source_item_ref: b, target_item_ref: a, relation_type: 'parent' })
      await user.call('relations_create', { source_item_ref: b, target_item_ref: c, relation_type: 'child' })
      assert.equal((await user.call('items_get', { item_ref: b })).item.parent_ref, a)
      assert.equal((await user.call('items_get', { item_ref: c })).item.parent_ref, b)
      assert.deepEqual(edges(await list(user, b)), [`${b} parent ${a}`, `${c} parent ${b}`])
      await assert.rejects(
        user.call('relations_create', { source_item_ref: a, target_item_ref: c, relation_type: 'parent' }),
        { code: 'cycle' },
      )
      const [edge] = await list(user, c)
      const gone = await user.confirmed('relations_delete', { relation_id: edge!.id })
      assert.equal(gone.deleted, true)
      assert.equal((await user.call('items_get', { item_ref: c })).item.parent_ref, undefined)
    },
  )

  verifies('results.write_warnings', 'a link that replaces the parent of an item says which one', async () => {
    const user = await newUser()
    const [a, b, c] = (await withItems(user, 3)) as [string, string, string]
    const link = (target: string) =>
      user.call('relations_create', { source_item_ref: c, target_item_ref: target, relation_type: 'parent' })
    assert.equal((await link(a)).warnings, undefined)
    assert.equal((await link(a)).warnings, undefined, 'the same parent replaces nothing')
    assert.deepEqual((await link(b)).warnings, [`This replaced the parent ${a}.`])
    const child = { source_item_ref: a, target_item_ref: c, relation_type: 'child' }
    assert.deepEqual((await user.call('relations_create', child)).warnings, [`This replaced the parent ${b}.`])
  })

  verifies('errors.shape', 'a link that cannot be made names the parameter and the next step', async () => {
    const user = await newUser()
    const [a, b] = (await withItems(user, 2)) as [string, string]
    await user.call('items_patch', { item_ref: b, parent: a })
    const link = { source_item_ref: a, relation_type: 'parent' }
    for (const [target_item_ref, code] of [
      [a, 'invalid_argument'],
      [b, 'cycle'],
    ])
      await assert.rejects(user.call('relations_create', { ...link, target_item_ref }), {
        code,
        field: 'target_item_ref',
        hint: /./,
      })
    const bulk = { relation_type: 'parent', counterpart_ref: b, member_refs: [a, b] }
    const { results } = await user.confirmed('relations_bulk_create', bulk)
    assert.deepEqual(
      results.map(({ error }: { error: { field: string } }) => error.field),
      ['member_refs', 'member_refs'],
    )
    for (const meta of [{ ifUpdatedAt: 'yesterday' }, { idempotencyKey: 'a\0' }, { idempotencyKey: '\ud800' }])
      await assert.rejects(user.call('items_patch', { item_ref: a, title: 'x' }, { meta }), {
        code: 'invalid_argument',
        field: /^_meta\./,
        hint: /./,
      })
  })

  verifies(
    'relations_delete.delete',
    'a relation is deleted after the user confirms a question that names it',
    async () => {
      const user = await newUser()
      const [a, b] = (await withItems(user, 2)) as [string, string]
      const { relation } = await user.call('relations_create', {
        source_item_ref: a,
        target_item_ref: b,
        relation_type: 'enriches',
      })
      await assert.rejects(user.call('relations_delete', { relation_id: relation.id }), {
        code: 'confirmation_required',
        message: new RegExp(`Delete the relation enriches from ${a} to ${b}`),
      })
      assert.equal((await list(user, a)).length, 1)
      await user.confirmed('relations_delete', { relation_id: relation.id })
      assert.deepEqual(await list(user, a), [])
      await assert.rejects(user.call('relations_delete', { relation_id: relation.id }), { code: 'not_found' })
    },
  )

  verifies('relations_delete.delete', 'an agreement to delete one parent does not delete the next one', async () => {
    const user = await newUser()
    const [child, one, two] = (await withItems(user, 3)) as [string, string, string]
    await user.call('items_patch', { item_ref: child, parent: one })
    const [row] = await list(user, child)
    const asked = await user.call('relations_delete', { relation_id: row!.id }).catch((error: ToolFailure) => error)
    const { confirm_token } = asked.details
    await user.call('items_patch', { item_ref: child, parent: two })
    await assert.rejects(user.call('relations_delete', { relation_id: row!.id, confirm_token }), {
      code: 'confirmation_invalid',
      message: new RegExp(`to ${two}$`),
    })
    assert.deepEqual(edges(await list(user, child)), [`${child} parent ${two}`])
    await user.confirmed('relations_delete', { relation_id: row!.id })
    assert.deepEqual(await list(user, child), [])
  })

  verifies(
    ['relations_bulk_create.members', 'relations_bulk_create.role'],
    'many items are related to one counterpart in either direction; a failure does not affect the others',
    async () => {
      const user = await newUser()
      const [a, b, c, d] = (await withItems(user, 4)) as [string, string, string, string]
      const made = await user.confirmed('relations_bulk_create', {
        member_refs: [a, b, '#99', d],
        counterpart_ref: d,
        relation_type: 'reference',
      })
      assert.deepEqual(
        made.results.map((result: { ok: boolean; error?: { code: string } }) => result.error?.code ?? result.ok),
        [true, true, 'not_found', 'invalid_argument'],
      )
      assert.equal(made.succeeded, 2)
      assert.deepEqual(edges(await list(user, d)), [`${a} reference ${d}`, `${b} reference ${d}`])
      await user.confirmed('relations_bulk_create', {
        member_refs: [a, b],
        counterpart_ref: c,
        relation_type: 'generated_from',
        member_role: 'target',
      })
      assert.deepEqual(edges(await list(user, c)), [`${c} generated_from ${a}`, `${c} generated_from ${b}`])
    },
  )

  verifies(
    ['relations_reassign.move', 'relations_reassign.detach', 'relations_reassign.attach'],
    'relations are moved, removed or added; a call without effect is refused',
    async () => {
      const user = await newUser()
      const [a, b, x, y] = (await withItems(user, 4)) as [string, string, string, string]
      const members = { member_refs: [a, b], relation_type: 'parent' }
      await user.confirmed('relations_reassign', { ...members, to_ref: x })
      assert.deepEqual(edges(await list(user, x)), [`${a} parent ${x}`, `${b} parent ${x}`])
      const moved = await user.confirmed('relations_reassign', { ...members, from_ref: x, to_ref: y })
      assert.deepEqual(
        moved.results.map((result: { changed: string[] }) => result.changed),
        [['relations'], ['relations']],
      )
      assert.deepEqual(await list(user, x), [])
      await user.confirmed('relations_reassign', { ...members, from_ref: y })
      assert.deepEqual(await list(user, y), [])
      await assert.rejects(user.confirmed('relations_reassign', members), { code: 'missing_argument' })
    },
  )

  verifies(
    ['relations_reassign.move', 'relations_reassign.keeps'],
    'an item whose relation cannot be moved keeps it, whatever happens to the others',
    async () => {
      const user = await newUser()
      const [p, q, a, b, under] = (await withItems(user, 5)) as [string, string, string, string, string]
      const move = async (member_refs: string[], more: object) => {
        const { results, failed } = await user.confirmed('relations_reassign', { member_refs, ...more })
        assert.equal(failed, 1)
        return (results as { changed?: string[]; error?: { code: string } }[]).map(
          ({ changed, error }) => error?.code ?? changed,
        )
      }
      const reference = { relation_type: 'reference' }
      for (const member of [a, q])
        await user.call('relations_create', { source_item_ref: member, target_item_ref: p, ...reference })
      assert.deepEqual(await move([a, q], { ...reference, from_ref: p, to_ref: q }), [
        ['relations'],
        'invalid_argument',
      ])
      assert.deepEqual(edges(await list(user, p)), [`${q} reference ${p}`])
      assert.deepEqual(edges(await list(user, a)), [`${a} reference ${q}`])

      for (const [item_ref, parent] of [
        [a, p],
        [b, p],
        [under, b],
      ])
        await user.call('items_patch', { item_ref, parent })
      const parent = { relation_type: 'parent', from_ref: p, to_ref: under }
      assert.deepEqual(await move([a, b], parent), [['relations'], 'cycle'])
      assert.deepEqual(edges(await list(user, b)).toSorted(), [`${b} parent ${p}`, `${under} parent ${b}`].toSorted())
      assert.ok(edges(await list(user, a)).includes(`${a} parent ${under}`))
      const { activities } = await user.call('activities_list', { item_ref: a, kind: 'item.parent.changed' })
      assert.deepEqual(
        activities.map(({ from, to }: { from: unknown; to: unknown }) => [from, to]),
        [
          [p, under],
          [undefined, p],
        ],
      )
    },
  )

  verifies(
    'relations_reassign.move',
    'an item that is not attached to from_ref is reported and not moved',
    async () => {
      const user = await newUser()
      const [p1, p2, p3, k, m] = (await withItems(user, 5)) as [string, string, string, string, string]
      await user.call('items_patch', { item_ref: k, parent: p1 })
      await user.call('items_patch', { item_ref: m, parent: p2 })
      await user.call('relations_create', { source_item_ref: m, target_item_ref: p2, relation_type: 'reference' })
      const move = (relation_type: string, member_refs: string[]) =>
        user.confirmed('relations_reassign', { relation_type, member_refs, from_ref: p2, to_ref: p3 })
      for (const type of ['parent', 'reference']) {
        assert.equal((await move(type, [k])).succeeded, 0)
        const { results, succeeded } = await move(type, [k, m])
        assert.equal(succeeded, 1)
        assert.deepEqual(
          [results[0].error.code, results[0].error.field, results[1].changed],
          ['not_found', 'from_ref', ['relations']],
        )
      }
      assert.deepEqual(edges(await list(user, k)), [`${k} parent ${p1}`])
      assert.deepEqual(edges(await list(user, m)).toSorted(), [`${m} parent ${p3}`, `${m} reference ${p3}`])
      assert.deepEqual(await list(user, p2), [])
    },
  )

  verifies('relations_reassign.move', 'the listed items can be the targets of the relations', async () => {
    const user = await newUser()
    const [parent, from, to] = (await withItems(user, 3)) as [string, string, string]
    await user.call('items_patch', { item_ref: from, parent })
    await user.confirmed('relations_reassign', {
      member_refs: [parent],
      member_role: 'target',
      relation_type: 'parent',
      from_ref: from,
      to_ref: to,
    })
    assert.deepEqual(edges(await list(user, parent)), [`${to} parent ${parent}`])
  })

  verifies('relations_reassign.keeps', 'moving relations to the same item is refused and loses nothing', async () => {
    const user = await newUser()
    const [a, x] = (await withItems(user, 2)) as [string, string]
    await user.call('items_patch', { item_ref: a, parent: x })
    const same = { member_refs: [a], relation_type: 'parent', from_ref: x, to_ref: x }
    await assert.rejects(user.confirmed('relations_reassign', same), { code: 'invalid_argument', field: 'to_ref' })
    assert.deepEqual(edges(await list(user, a)), [`${a} parent ${x}`])
  })

  verifies(
    ['relations_bulk_create.members', 'relations_reassign.members'],
    'relations_bulk_create takes 2 to 25 members, relations_reassign 1 to 25',
    async () => {
      const user = await newUser()
      const refs = await withItems(user, 27)
      const counterpart = refs[26]!
      const many = { relation_type: 'reference', counterpart_ref: counterpart }
      const reassign = { relation_type: 'reference', from_ref: counterpart }
      const refused = { code: 'invalid_argument', field: 'member_refs' }
      for (const count of [1, 26])
        await assert.rejects(
          user.confirmed('relations_bulk_create', { ...many, member_refs: refs.slice(0, count) }),
          refused,
        )
      for (const count of [0, 26])
        await assert.rejects(
          user.confirmed('relations_reassign', { ...reassign, member_refs: refs.slice(0, count) }),
          refused,
        )
      const first = refs.slice(0, 25)
      assert.equal((await user.confirmed('relations_bulk_create', { ...many, member_refs: first })).succeeded, 25)
      assert.equal((await user.confirmed('relations_reassign', { ...reassign, member_refs: first })).succeeded, 25)
      const two = await user.confirmed('relations_bulk_create', { ...many, member_refs: refs.slice(0, 2) })
      assert.equal(two.succeeded, 2)
      const one = await user.confirmed('relations_reassign', { ...reassign, member_refs: refs.slice(0, 1) })
      assert.equal(one.succeeded, 1)
      assert.deepEqual(edges(await list(user, counterpart)), [`${refs[1]} reference ${counterpart}`])
    },
  )

  verifies(
    ['tasks_list.include_relations', 'filter.key_relates'],
    'listings show relations on request, and relates: filters by them',
    async () => {
      const user = await newUser()
      const [a, b, c] = (await withItems(user, 3)) as [string, string, string]
      await user.call('relations_create', {
        source_item_ref: a,
        target_item_ref: b,
        relation_type: 'previous_instance',
      })
      await user.call('items_patch', { item_ref: c, parent: b })
      const { items } = await user.call('tasks_list', { include_relations: true })
      assert.deepEqual(edges(items[0].relations), [`${a} previous_instance ${b}`])
      assert.equal(items[2].parent_ref, b)
      const plain = await user.call('tasks_list', {})
      assert.ok(!('relations' in plain.items[0]))
      const found = await user.call('tasks_list', { q: `relates:${b}` })
      assert.deepEqual(
        found.items.map((item: { ref: string }) => item.ref),
        [a],
      )
      const linked = await user.call('tasks_list', { q: 'has:relation' })
      assert.equal(linked.items.length, 2)
      const context = await user.call('items_context_get', { item_ref: b, include: ['relations'] })
      assert.equal(context.relations.length, 2)
      assert.ok(!('relations' in context.item), 'once')
    },
  )

  verifies('relations_list.both_ends', 'a member of one project sees no relation to an item of another', async () => {
    const [owner, guest] = [await newUser(), await newUser()]
    await owner.createProject('APP')
    await owner.share('APP', guest.email, 'editor')
    const make = async (project_key: string, title: string): Promise<string> =>
      (await owner.call('items_create', { project_key, title })).item.ref
    const [shared, secret, other] = [
      await make('APP', 'shared'),
      await make('INBOX', 'secret'),
      await make('APP', 'other'),
    ]
    const link = (target: string, relation_type: string) =>
      owner.call('relations_create', { source_item_ref: shared, target_item_ref: target, relation_type })
    await link(secret, 'reference')
    await link(secret, 'parent')
    await link(other, 'reference')
    assert.equal((await owner.call('relations_list', { item_ref: shared })).relations.length, 3)
    const { relations } = await guest.call('relations_list', { item_ref: shared })
    assert.deepEqual(
      relations.map((each: { target_title: string }) => each.target_title),
      ['other'],
    )
    for (const answer of [
      await guest.call('items_get', { item_ref: shared }),
      await guest.call('tasks_list', { include_relations: true }),
      await guest.call('items_context_get', { item_ref: shared }),
    ])
      assert.doesNotMatch(JSON.stringify(answer), /secret|INBOX/)
  })

  verifies('relations_list.both_ends', 'no user sees or changes the relations of another user', async () => {
    const [user, other] = [await newUser(), await newUser()]
    const [a, b] = (await withItems(user, 2)) as [string, string]
    const { relation } = await user.call('relations_create', {
      source_item_ref: a,
      target_item_ref: b,
      relation_type: 'reference',
    })
    await assert.rejects(other.call('relations_list', { item_ref: a }), { code: 'not_found' })
    await assert.rejects(other.confirmed('relations_delete', { relation_id: relation.id }), { code: 'not_found' })
  })

  verifies('relations_bulk_create.members', 'the number of statements does not grow with the members', async () => {
    const user = await newUser()
    const refs = await withItems(user, 8)
    const link = (members: string[], type: string) => () =>
      user.confirmed('relations_bulk_create', { member_refs: members, counterpart_ref: refs[7], relation_type: type })
    for (const type of ['reference', 'parent']) {
      const few = await statements(link(refs.slice(0, 2), type))
      const many = await statements(link(refs.slice(2, 7), type))
      assert.equal(many.length, few.length)
    }
    assert.equal((await statements(() => user.call('relations_list', { item_ref: refs[7] }))).length, 1)
  })
})
