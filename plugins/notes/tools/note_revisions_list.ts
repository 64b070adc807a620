import { defineTool, iso, sql, Type } from 'tasuki/plugin'
import { itemRef, readBeside } from '../../items/index.ts'

const Revision = Type.Object({
  revision_id: Type.String(),
  created_at: Type.String(),
  title: Type.String(),
  length: Type.Integer(),
  by: Type.Optional(Type.String()),
  note: Type.Optional(Type.String()),
})

/** Revisions that a list shows. */
const SHOWN = 100

export const noteRevisionsList = defineTool({
  name: 'note_revisions_list',
  class: 'R',
  title: 'List revisions',
  summary: 'Lists the former versions of a note, newest first; note_revisions_get reads one.',
  rank: 206,
  rows: 'revisions',
  input: Type.Object({ item_ref: itemRef() }, { additionalProperties: false }),
  output: Type.Object({ revisions: Type.Array(Revision), has_more: Type.Boolean() }),
  async run(ctx, { item_ref: ref }) {
    const { revisions } = await readBeside<{ revisions: (typeof Revision)['static'][] | null }>(
      ctx,
      ref,
      sql`(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('revision_id', r.id, 'created_at', ${iso('r.created_at')}, 'title', r.title,
          'length', r.length, 'by', u.name, 'note', r.note)))
        from (select rr.id, rr.created_at, rr.title, length(rr.detail) as length, rr.user_id, rr.note from items.revisions rr
          where rr.owner_id = i.owner_id and rr.item_id = i.id order by rr.id desc limit ${sql.lit(SHOWN + 1)}) r
        left join core.users u on u.id = r.user_id) as revisions`,
    )
    const found = revisions ?? []
    return { revisions: found.slice(0, SHOWN), has_more: found.length > SHOWN }
  },
})
