import { clip, nameKey, Type } from 'tasuki/plugin'
import { exportParts, importParts, listCell } from '../transfer/points.ts'
import { labelsText } from './item-label.repository.ts'
import { addLabels, MOST } from './item-labels.ts'
import { NAME_MAX } from './names.ts'

/** Labels of imported items; missing ones are defined. */
export const importLabels = importParts({
  of: 'labels',
  schema: Type.Array(Type.String()),
  write: (ctx, _project, parts) =>
    addLabels(
      ctx,
      parts.map(({ draft, value, note }) => {
        const names = value.flatMap(text => {
          const name = text.trim()
          return nameKey(name) === '' ? [] : [clip(name, NAME_MAX)]
        })
        const added = new Map([...new Map(names.map(name => [nameKey(name), name]))].slice(0, MOST))
        if (names.length > MOST) note(`more than ${MOST} labels: the rest is left out`)
        return { draft, added }
      }),
    ),
})

export const exportLabels = exportParts({
  of: 'labels',
  sql: () => labelsText,
  cell: listCell,
  markdown: { as: 'fact', title: 'Labels', write: labels => labels.join(', ') },
})
