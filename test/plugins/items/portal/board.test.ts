import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { portalHost } from '../../portal/portal-host.ts'

const OPEN = 305
const CLOSED = 35

forEachEngine('a board with many tasks', engine => {
  const portal = portalHost(engine, { config: { plugins: { portal: {}, project_admin: true } } })

  test('each state shows its own first tasks, and how many it has', async t => {
    const { caller, browser } = await portal.withProject()
    const folder = await mkdtemp(join(tmpdir(), 'tasuki-board-'))
    t.after(() => rm(folder, { recursive: true }))
    const file = join(folder, 'tasks.csv')
    const rows = (count: number, state: string) => Array.from({ length: count }, (_, n) => `${state} ${n + 1},${state}`)
    await writeFile(file, ['title,status', ...rows(OPEN, 'Backlog'), ...rows(CLOSED, 'Done')].join('\n'))
    await portal.host.command('import file', { file, project: 'WEB', user: caller.email, yes: true })
    const { item } = await caller.call('items_create', { project_key: 'WEB', title: 'The last one' })
    const { states } = await caller.call('workflow_states_list', { project_key: 'WEB' })
    const idOf = (name: string): string => states.find((state: { name: string }) => state.name === name).id
    await caller.call('items_move_state', { item_ref: item.ref, status_definition_id: idOf('In progress') })
    const columnsOf = async (query = '') => {
      const { text } = await browser.get(`/projects/WEB/board${query}`)
      return (name: string): string =>
        new RegExp(`<section aria-labelledby="state-${idOf(name)}">([^]*?)</section>`).exec(text)![1]!
    }
    const all = await columnsOf()
    assert.match(all('In progress'), />1<\/span>[^]*The last one/)
    assert.match(all('Backlog'), new RegExp(`>${OPEN}</span>[^]*The first 100\\. Use a filter`))
    assert.equal(all('Backlog').match(/<li /g)!.length, 100)
    assert.match(all('Done'), new RegExp(`>${CLOSED}</span>[^]*The 30 most recently updated\\.`))
    assert.match(all('In review'), />0<\/span>[^]*No tasks\./)
    const some = await columnsOf('?q=last')
    assert.match(some('In progress'), /The last one/)
    assert.match(some('Backlog'), />0<\/span>[^]*No tasks\./)
  })
})
