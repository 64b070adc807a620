import { sql, type RawBuilder } from 'tasuki/plugin'

/** The first characters of a text column, so that the overview stays small. */
export function clipColumn(column: string, most: number): RawBuilder<string> {
  const text = sql.ref(column)
  return sql<string>`case when length(${text}) > ${sql.lit(most)} then left(${text}, ${sql.lit(most - 1)}) || '…' else ${text} end`
}
