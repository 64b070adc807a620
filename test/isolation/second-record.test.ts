import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourcesOf } from '../figures/source.ts'

/** Aliases of the main records of a statement; every other alias is a second record. */
const OWN = { 'items.items': 'i', 'projects.projects': 'p' } as const

/** Second records whose names no caller receives, or whose visibility is already checked, with the reason. */
const KNOWN: Readonly<Record<string, string>> = {
  'plugins/items/other-item.repository.ts projects.projects op': 'the project of an item that is seen',
  'plugins/projects/access.repository.ts projects.projects n': 'loads what the user has access to',
  'plugins/items/item-list.repository.ts projects.projects k': 'the items are seen ones',
  'plugins/projects/feature.repository.ts projects.projects f': 'the project of a row that is seen',
  'plugins/relations/relation.repository.ts items.items c': 'its id is looked up with fromOther',
  'plugins/relations/relation.repository.ts projects.projects sp': 'the project of an item that is seen',
  'plugins/relations/relation.repository.ts projects.projects tp': 'the project of an item that is seen',
  'plugins/attachments/attachment.repository.ts items.items ai': 'the item of an attachment that is seen',
  'plugins/attachments/attachment.repository.ts projects.projects ap': 'the project of an attachment that is seen',
  'plugins/workflows/workflow.repository.ts projects.projects bp': 'whether there is one that is not seen',
  'plugins/workspace/overview.repository.ts projects.projects ip': 'the project of an item that is seen',
}

test('statements name a second item or project only where the caller may see it', () => {
  // Migrations run without a caller.
  const sources = sourcesOf('plugins').filter(({ path }) => !path.includes('/migrations/'))
  const unseen = sources.flatMap(({ path, text }) =>
    Object.entries(OWN).flatMap(([table, own]) => {
      const aliases = [
        ...text.matchAll(new RegExp(String.raw`(?<![\w.])${table.replace('.', '[.]')} (?:as )?(\w+)`, 'g')),
      ]
      return [...new Set(aliases.map(match => match[1]!))]
        .filter(alias => alias !== own && !/^(where|set|on)$/.test(alias))
        .filter(alias => !new RegExp(String.raw`(visible|keyIs)\(ctx, (?:\w+, )?'${alias}'`).test(text))
        .map(alias => `${path} ${table} ${alias}`)
    }),
  )
  assert.deepEqual(
    unseen.filter(each => !(each in KNOWN)),
    [],
    'use fromOther of items, or visible(ctx, alias)',
  )
  assert.deepEqual(
    Object.keys(KNOWN).filter(each => !unseen.includes(each)),
    [],
    'is not there any more',
  )
})
