import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam } from './team.ts'

forEachEngine('statements of sprint tools', engine => {
  const host = sharedHost(engine, {
    config: { plugins: { relations: {}, checklist: {}, sprints: {}, estimation: false } },
  })

  test('each tool sends a fixed number of statements', async () => {
    const app = await newTeam(host)
    await app.sprint('One', { status: 'active' })
    await app.sprint('Two')
    const ref = await app.item('a')
    const count = async (tool: string, fields: object) => (await host.statements(() => app.in(tool, fields))).length
    const counts = {
      sprints_list: await count('sprints_list', {}),
      sprints_list_everywhere: (await host.statements(() => app.call('sprints_list'))).length,
      sprints_note_get: await count('sprints_note_get', { sprint: 'One' }),
      sprints_create: await count('sprints_create', { name: 'Three' }),
      sprints_update: await count('sprints_update', { sprint: 'Two', goal: 'x' }),
      sprints_note_set: await count('sprints_note_set', { sprint: 'One', slot: 'retro', body: 'x' }),
      sprints_add_item: await count('sprints_add_item', { sprint: 'One', item_ref: ref }),
      sprints_remove_item: await count('sprints_remove_item', { sprint: 'One', item_ref: ref }),
      sprints_delete: await count('sprints_delete', { sprint: 'Three' }),
    }
    assert.deepEqual(counts, {
      sprints_list: 1,
      sprints_list_everywhere: 1,
      sprints_note_get: 1,
      sprints_create: 5,
      sprints_update: 5,
      sprints_note_set: 4,
      sprints_add_item: 8,
      sprints_remove_item: 8,
      sprints_delete: 5,
    })
  })

  test('closing sends as many statements for 24 items as for 4', async () => {
    const counts: number[] = []
    for (const each of [1, 6]) {
      const app = await newTeam(host)
      await app.sprint('One', { status: 'active' })
      await app.sprint('Two')
      const dispositions: object[] = []
      for (const disposition of ['next_sprint', 'backlog', 'drop', 'split']) {
        for (let n = 0; n < each; n++) {
          dispositions.push({ item_ref: await app.item(`${disposition} ${n}`, { sprint: 'One' }), disposition })
        }
      }
      const hand = () => app.in('sprints_handoff', { sprint: 'One', next_sprint: 'Two', dispositions })
      counts.push((await host.statements(hand)).length)
      assert.equal(Object.keys(await app.placement()).length, each * 3, 'moved on, split and continued ones')
    }
    assert.equal(counts[0], counts[1])
    assert.ok(counts[0]! <= 40, `${counts[0]} statements`)
  })
})
