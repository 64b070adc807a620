import { firstCharacters, isLonger, Type, uuid } from 'tasuki/plugin'
import { exportParts, importParts, quoted, readable } from '../transfer/points.ts'
import { discussionsOfItem, insertImported } from './discussion.repository.ts'
import { BODY_MOST, DISCUSSION_KINDS } from './discussion.ts'

/** Comments of imported items. Their authors are plain text: a file must not write in the name of an account. */
export const importComments = importParts({
  of: 'comments',
  schema: Type.Array(
    Type.Object({
      author: Type.Union([Type.String(), Type.Null()]),
      at: Type.Union([Type.String(), Type.Null()]),
      body: Type.String(),
      kind: Type.Optional(Type.String()),
    }),
  ),
  async write(ctx, _project, parts) {
    const rows = parts.flatMap(({ draft, value, note }) =>
      value.map(({ author, at, body, kind }) => {
        if (isLonger(body, BODY_MOST)) note(`a comment is longer than ${BODY_MOST} characters: cut`)
        const time = at === null || Number.isNaN(Date.parse(at)) || Date.parse(at) > ctx.now.getTime() ? ctx.now : at
        return {
          owner_id: draft.ownerId,
          id: uuid(),
          item_id: draft.id,
          author_id: ctx.actor.userId,
          author_kind: 'imported',
          author_name: firstCharacters(author ?? 'Unknown', 200),
          body: firstCharacters(body, BODY_MOST),
          kind: DISCUSSION_KINDS.find(each => each === kind) ?? 'progress',
          created_at: time,
          updated_at: time,
        }
      }),
    )
    await insertImported(ctx, rows)
  },
})

export const exportComments = exportParts({
  of: 'comments',
  sql: () => discussionsOfItem,
  markdown: {
    as: 'section',
    title: 'Comments',
    write: comments =>
      comments
        .map(({ author, at, body, kind }) => {
          const what = kind === undefined || kind === 'progress' ? '' : ` (${kind})`
          return `**${author ?? 'Unknown'}**${at === null ? '' : `, ${readable(at)}`}${what}:\n\n${quoted(body)}`
        })
        .join('\n\n'),
  },
})
