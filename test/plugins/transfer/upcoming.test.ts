import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { definePlugin } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { itemChanges, upcomingTexts } from '../../../plugins/items/points.ts'
import { readTexts, writeDocuments } from '../../../plugins/search/document.repository.ts'
import { forEachEngine } from '../../engines.ts'

const ITEMS = 1100

forEachEngine('upcoming texts', engine => {
  test('the next set of an import is announced before the items of the current one are written, and indexed alike', async t => {
    const events: string[] = []
    const recorder = definePlugin({
      name: 'recorder',
      version: '0.1.0',
      api: 1,
      group: 'test',
      dependsOn: ['items'],
      contributes: [
        upcomingTexts((_ctx, texts) => void events.push(`announced ${texts[0]!.title} to ${texts.at(-1)!.title}`)),
        itemChanges((_ctx, changes) => void events.push(`wrote ${changes[0]!.title} to ${changes.at(-1)!.title}`)),
      ],
    })
    const host = await testHost(t, { engine, plugins: [recorder] })
    await host.command('project create', { key: 'APP', name: 'App' })
    const folder = await mkdtemp(join(tmpdir(), 'tasuki-upcoming-'))
    t.after(() => rm(folder, { recursive: true }))
    // Each third text is the same, and a title is longer than an item's.
    const rows = Array.from({ length: ITEMS }, (_, n) => ({
      key: `k${n}`,
      title: n === 7 ? 'Seven '.repeat(60) : n % 3 === 0 ? 'Same title' : `Item ${n}`,
      detail: n % 3 === 0 ? 'the same 本文' : `walking with ${n} dogs, レポート${n}`,
    }))
    const file = join(folder, 'items.csv')
    await writeFile(
      file,
      ['key,title,detail', ...rows.map(row => `${row.key},${row.title},"${row.detail}"`)].join('\n'),
    )
    for (let args: object = { file, project: 'APP', yes: true }; ;) {
      const { next } = await host.command('import file', args)
      if (!next) break
      args = next.args
    }
    assert.deepEqual(events, [
      'announced Same title to Same title',
      'wrote Same title to Item 499',
      'announced Item 500 to Item 1099',
      'wrote Item 500 to Same title',
      'announced Item 1000 to Item 1099',
      'wrote Item 1000 to Item 1099',
    ])
    const documents = () =>
      host.sql<{ item_id: string; tsv: string; length: number }>`
        select item_id, tsv::text as tsv, length from search.documents order by item_id`
    const ahead = await documents()
    assert.equal(ahead.length, ITEMS)
    await host.sql`update search.documents set tsv = '', length = 0`
    const keys = await host.sql<{ ownerId: string; itemId: string }>`
      select owner_id as "ownerId", id as "itemId" from items.items`
    await host.write(async ctx => writeDocuments(ctx, await readTexts(ctx, keys)))
    const later = await documents()
    assert.deepEqual(
      later.filter((document, n) => !isDeepStrictEqual(document, ahead[n])),
      [],
    )
  })
})
