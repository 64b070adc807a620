import { isWrite, readRow, readValues, createRowReader, type Field } from '../values.ts'
import type { RawResult } from './wire.ts'

export interface Result<T> {
  rows: T[]
  fields: Field[]
  command: string
  /** Number of written rows; absent for other commands. */
  affectedRows?: number
}

export type RowMode = 'object' | 'array'

export function decodeResult<T>({ fields, rows, command, rowCount }: RawResult, rowMode: RowMode): Result<T> {
  const reader = createRowReader(fields)
  const read: (texts: RawResult['rows'][number]) => unknown =
    rowMode === 'array' ? texts => readValues(reader, texts) : texts => readRow(reader, texts)
  return {
    rows: rows.map(read) as T[],
    fields: [...fields],
    command,
    ...(isWrite(command) && rowCount !== null && { affectedRows: rowCount }),
  }
}
