import { PostgresAdapter, PostgresIntrospector, type Dialect, type Driver } from 'kysely'
import { DatabaseError } from 'pg'
import { RememberingCompiler } from './compiler.ts'

/** PostgreSQL's SQL, sent by the driver of either engine. */
export function postgresDialect(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver,
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new RememberingCompiler(),
  }
}

/** Gives an error of the server the stack of whoever asked; made where its answer is read, its own says nothing of that. */
export function withAsker(error: unknown): unknown {
  if (error instanceof DatabaseError) Error.captureStackTrace(error)
  return error
}
