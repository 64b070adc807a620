import { isWrite, readRow, createRowReader, type Field } from '../values.ts'
import type { RawResult } from './wire.ts'

export interface Result<T> {
  rows: T[]
  fields: Field[]
  command: string
  /** Number of written rows; absent for other commands. */
  affectedRows?: number
}

export function decodeResult<T>({ fields, rows, command, rowCount }: RawResult): Result<T> {
  const reader = createRowReader(fields)
  return {
    rows: rows.map(texts => readRow(reader, texts)) as T[],
    fields: [...fields],
    command,
    ...(isWrite(command) && rowCount !== null && { affectedRows: rowCount }),
  }
}
