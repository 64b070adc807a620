import { serviceFigures } from 'tasuki/plugin'

const MAX_ROWS = 100

/** The number of indexed texts, for administrators. */
export const indexedTexts = serviceFigures(async ctx => {
  const rows = await ctx.db
    .selectFrom('search.documents')
    .select(({ fn }) => ['model', fn.countAll().as('texts')])
    .groupBy('model')
    .orderBy('texts', 'desc')
    .limit(MAX_ROWS)
    .execute()
  return {
    title: { en: 'Search index', ja: '検索インデックス' },
    columns: [
      { title: { en: 'Vectors by', ja: 'ベクトルの作成元' }, kind: 'text' },
      { title: { en: 'Texts', ja: 'テキスト数' }, kind: 'count' },
    ],
    rows: rows.map(({ model, texts }) => [model ?? '–', Number(texts)]),
  }
})
