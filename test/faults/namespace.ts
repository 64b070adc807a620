import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** The reason why this machine cannot create a network namespace; false if it can. */
export const noNamespace: string | false = reason()

function reason(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux'
  const name = `tasuki-try-${process.pid}`
  try {
    ip('netns', 'add', name)
    // Tests whether rules for ports work; they silence single connections.
    ip('-n', name, 'rule', 'add', 'sport', '1', 'type', 'blackhole')
    return false
  } catch {
    return 'needs iproute2 and network namespaces'
  } finally {
    try {
      ip('netns', 'del', name)
    } catch {
      // The namespace was not created.
    }
  }
}

function ip(...args: readonly string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A machine for an instance: a network namespace with one link to the database and one to the callers. */
export interface Machine {
  /** Prefix of a command that runs on the machine. */
  readonly command: readonly string[]
  /** Address of the instance for callers. */
  readonly address: string
  /** Address of the database as the instance sees it. */
  readonly databaseUrl: string
  /** Drops all packets to and from the database, without a reset or an error. */
  cut(): void
  mend(): void
  /** Simulates a moved database: existing connections stay silent, new ones work. */
  move(): void
  close(): void
}

let machines = 0

/** @param database address of a database on this machine */
export async function makeMachine(database: URL): Promise<Machine> {
  const name = `tasuki-${process.pid}-${++machines}`
  // Another process, or a machine that was left behind, must not have the same network.
  const net = `10.${128 + ((process.pid >> 6) % 100)}.${((process.pid % 64) * 4 + machines) % 250}`
  const [wire, far] = [`td${process.pid % 100_000}x${machines}`, `tf${process.pid % 100_000}x${machines}`]
  ip('netns', 'add', name)
  for (const [link, peer, first] of [
    [wire, 'database', 1],
    [far, 'callers', 5],
  ] as const) {
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', peer, 'netns', name)
    ip('addr', 'add', `${net}.${first}/30`, 'dev', link)
    ip('link', 'set', link, 'up')
    ip('-n', name, 'addr', 'add', `${net}.${first + 1}/30`, 'dev', peer)
    ip('-n', name, 'link', 'set', peer, 'up')
  }
  ip('-n', name, 'link', 'set', 'lo', 'up')
  // The database listens on the loopback address of this machine.
  const open = new Set<Socket>()
  const forwarder = createServer(socket => {
    const there = connect(Number(database.port), database.hostname)
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy()).on('close', () => void (open.delete(one), other.destroy()))
      one.pipe(other)
    }
  }).listen(0, `${net}.1`)
  await once(forwarder, 'listening')
  const { port } = forwarder.address() as { port: number }
  const url = new URL(database)
  url.hostname = `${net}.1`
  url.port = String(port)
  const inside = (...args: readonly string[]): string =>
    execFileSync('ip', ['netns', 'exec', name, ...args], { encoding: 'utf8' })
  const cut = (): void => void ip('-n', name, 'link', 'set', 'database', 'down')
  // A link that was down lost its routes; setting it up restores the route of its network.
  const mend = (): void => void ip('-n', name, 'link', 'set', 'database', 'up')
  return {
    command: ['ip', 'netns', 'exec', name],
    address: `${net}.6`,
    databaseUrl: url.href,
    cut,
    mend,
    move() {
      const ports = inside('ss', '-Htn', 'dst', `${net}.1`)
        .split('\n')
        .flatMap(line => /:(\d+)\s+\S+:\d+\s*$/.exec(line)?.[1] ?? [])
      for (const each of ports) ip('-n', name, 'rule', 'add', 'sport', each, 'type', 'blackhole')
      mend()
    },
    close() {
      forwarder.close()
      for (const socket of open) socket.destroy()
      ip('netns', 'del', name)
    },
  }
}
