import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

/** A program that tests run as a user would. */
export interface Program {
  readonly file: string
  readonly args: readonly string[]
}
/** Working folder and environment of a program. */
export interface Surroundings {
  readonly cwd: string
  /** Merged over the environment of the test, from which variables that configure `tasuki` are removed. */
  readonly env?: Readonly<Record<string, string>>
  /** False = only `env` and PATH. */
  readonly inherit?: boolean
}
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** For short-lived processes: optimizing the embedded database costs more there than it gains. */
export const SHORT_LIVED = ['--liftoff-only']

/** `tasuki` from the sources of this project, as an operator runs it. */
export const TASUKI_ITSELF: Program = tasuki([])

/** The same, for short-lived processes. */
export const TASUKI: Program = tasuki(SHORT_LIVED)

function tasuki(options: readonly string[]): Program {
  return {
    file: process.execPath,
    args: [...options, join(import.meta.dirname, '../core/cli/tasuki.js')],
  }
}

/** The npm that started the test, with the version and settings of the user. */
export const NPM: Program = process.env['npm_execpath']
  ? { file: process.execPath, args: [process.env['npm_execpath']] }
  : { file: 'npm', args: [] }

/** Runs a program to its end. */
export function run(program: Program, args: readonly string[], where: Surroundings): Promise<Ended> {
  const child = start(program, args, where)
  const text = collect(child)
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', code => done({ code, ...text }))
  })
}

/** Runs a program that must succeed. @returns its output */
export async function succeed(program: Program, args: readonly string[], where: Surroundings): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, where)
  if (code !== 0) throw new Error(`${[program.file, ...args].join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
  return stdout
}

/** A running `tasuki`. */
export interface Serving {
  /** Address of the service, without a trailing slash. */
  readonly origin: string
  /** Its output so far. */
  readonly output: { readonly stdout: string; readonly stderr: string }
  /** Stops the process. @returns the exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts `tasuki` on a free port and waits until it is ready. @throws with its output if it exits */
export async function serve(program: Program, where: Surroundings): Promise<Serving> {
  const child = start(program, [], { ...where, env: { LOG_LEVEL: 'info', ...where.env } })
  const output = collect(child)
  const ended = new Promise<number | null>(done => child.once('close', done))
  const origin = await new Promise<string>((done, fail) => {
    child.stdout!.on('data', () => {
      const address = /Server listening at (http:[^"\s]+)/.exec(output.stdout)?.[1]
      if (address !== undefined && /"msg":"ready"|: ready\b/.test(output.stdout)) done(address)
    })
    child.once('error', fail)
    void ended.then(code => fail(new Error(`tasuki ended with ${code}:\n${output.stdout}\n${output.stderr}`)))
  })
  return {
    origin,
    output,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Finds the token that a first start prints. */
export function shownToken({ output }: Serving): string {
  const token = /svc_pat_\w+/.exec(output.stdout)?.[0]
  if (token === undefined) throw new Error(`no token was shown:\n${output.stdout}`)
  return token
}

/** Variables that configure `tasuki`; tests remove those of the person who runs them. */
const OWN_VARIABLES =
  /^(HOST|PORT|BASE_URL|DATA_DIR|DATABASE_URL|DATABASE_REPLICA_URL|CONFIG|LOG_LEVEL|LOG_FORMAT|METRICS_\w+|OTEL_\w+|SECRET_KEY|BOOTSTRAP_\w+|NODE_TEST_CONTEXT|NODE_OPTIONS)$/

function start({ file, args: first }: Program, args: readonly string[], where: Surroundings): ChildProcess {
  const { cwd, env, inherit = true } = where
  const inherited = Object.entries(process.env).filter(([name]) =>
    inherit ? !OWN_VARIABLES.test(name) : name === 'PATH',
  )
  return spawn(file, [...first, ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const text = { stdout: '', stderr: '' }
  child.stdout!.setEncoding('utf8').on('data', (more: string) => (text.stdout += more))
  child.stderr!.setEncoding('utf8').on('data', (more: string) => (text.stderr += more))
  return text
}
