import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import { HostError } from '../plugin/errors.ts'

const MIN_MAJOR = 15
/** Extensions that are part of PostgreSQL's distribution, but not always installed. */
const EXTENSIONS = ['pg_trgm', 'btree_gin']

const ASCII_ONLY =
  'the locale of the database of DATABASE_URL does not know letters beyond ASCII, so it could not search Japanese: recreate the database with LC_CTYPE C.UTF-8 or another UTF-8 locale'

export interface ServerFacts {
  readonly major: number
  readonly encoding: string
  /** LC_CTYPE, if the locale is one of the operating system. */
  readonly ctype: string | null
  /** Extensions that the server can create. */
  readonly extensions: readonly string[]
  /** It takes no writes, as a standby. */
  readonly readOnly: boolean
  /** Schemas that the search_path should name: those of the extensions, or else the one to create them in. */
  readonly missingSchemas: readonly string[]
}

/** Returns why the service cannot use this server or database, or null if it can. It changes nothing. @param db a connection for writes */
export async function findServerProblem(db: Db): Promise<string | null> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version_num')::int / 10000 as major, current_setting('server_encoding') as encoding,
      (select datctype from pg_database where datname = current_database() and datlocprovider = 'c') as ctype,
      current_setting('transaction_read_only')::boolean as "readOnly",
      (select coalesce(json_agg(distinct s.name) filter (where s.name <> all(current_schemas(true))), '[]') from (
        select case when current_schema() is null then 'public' end
        union all select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace
        where e.extname in (${sql.join(EXTENSIONS)})) s (name)) as "missingSchemas",
      (select coalesce(json_agg(name), '[]') from pg_available_extensions
        where name in (${sql.join(EXTENSIONS)})) as extensions
  `.execute(db)
  return serverProblem(rows[0]!)
}

/** Checks that the server is recent enough and that the database can store and search any script. @throws HostError */
export async function checkServer(db: Db): Promise<void> {
  const problem = await findServerProblem(db)
  if (problem !== null) throw new HostError(problem)
  await sql`create extension if not exists pg_trgm`.execute(db)
  if (!(await knowsJapanese(db))) throw new HostError(ASCII_ONLY)
}

/** Returns whether the locale of the database knows letters beyond ASCII, which the search needs. */
export async function knowsJapanese(db: Db): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`select show_trgm('議事録') <> '{}' as known`.execute(db)
  return rows[0]!.known
}

/** Returns whether the user may create schemas in the database, which migrations do. */
export async function mayCreateSchemas(db: Db): Promise<boolean> {
  const { may } = await db
    .selectNoFrom(({ fn, val }) =>
      fn<boolean>('has_database_privilege', [fn('current_database'), val('CREATE')]).as('may'),
    )
    .executeTakeFirstOrThrow()
  return may
}

/** Returns what is wrong with a server, or null if it is suitable. */
export function serverProblem(facts: ServerFacts): string | null {
  const { major, encoding, ctype, extensions, readOnly, missingSchemas } = facts
  if (major < MIN_MAJOR)
    return `the server of DATABASE_URL is PostgreSQL ${major}; ${MIN_MAJOR} or later is needed: upgrade it`
  if (encoding !== 'UTF8')
    return `the database of DATABASE_URL has the encoding ${encoding}: recreate it with encoding UTF8`
  if (ctype === 'C' || ctype === 'POSIX') return ASCII_ONLY
  if (readOnly)
    return 'the database of DATABASE_URL takes no writes: name the primary, not a standby, or look for default_transaction_read_only'
  if (missingSchemas.length > 0)
    return `the search_path of the user of DATABASE_URL lacks ${missingSchemas.join(' and ')}, where the service finds extensions of PostgreSQL: alter role … set search_path = "$user", ${missingSchemas.join(', ')}`
  const missing = EXTENSIONS.filter(name => !extensions.includes(name))
  if (missing.length === 0) return null
  return `the server of DATABASE_URL lacks ${missing.join(' and ')}: install PostgreSQL's contrib package there`
}
