import { serviceFigures } from 'tasuki/plugin'
import { settings } from './settings.ts'

const MAX_USERS = 100

/** The number of files per user, for administrators. */
export const filesByUser = serviceFigures(async ctx => {
  const { quota_bytes: quota } = ctx.config(settings)
  const rows = await ctx.db
    .selectFrom('attachments.attachments as a')
    .innerJoin('core.users as u', 'u.id', 'a.owner_id')
    .select(({ fn }) => ['u.email', fn.countAll().as('files'), fn.sum('a.size').as('bytes')])
    .where('a.state', '=', 'stored')
    .groupBy('u.email')
    .orderBy('bytes', 'desc')
    .orderBy('u.email')
    .limit(MAX_USERS)
    .execute()
  return {
    title: { en: 'Files by user', ja: 'ユーザーごとのファイル' },
    columns: [
      { title: { en: 'User', ja: 'ユーザー' }, kind: 'text' },
      { title: { en: 'Files', ja: 'ファイル数' }, kind: 'count' },
      { title: { en: 'Size', ja: 'サイズ' }, kind: 'bytes' },
      { title: { en: 'Quota', ja: '上限' }, kind: 'bytes' },
    ],
    rows: rows.map(({ email, files, bytes }) => [email, Number(files), Number(bytes), quota]),
  }
})
