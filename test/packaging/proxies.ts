import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const DEPLOY = join(import.meta.dirname, '../../config/deploy')

/** A proxy from the examples: its program, its config for these ports, and its start command. */
export interface Proxy {
  readonly name: string
  readonly file: string | null
  /** @param services ports of the instances */
  config(port: number, services: readonly number[]): string
  args(config: string, folder: string): readonly string[]
}

export const PROXIES: readonly [nginx: Proxy, caddy: Proxy] = [
  {
    name: 'nginx',
    file: find('nginx', 'NGINX'),
    config: (port, services) => {
      const example = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
        .replace(/server 127.0.0.1:3000(.*)/, (_, rest) =>
          services.map(at => `server 127.0.0.1:${at}${rest}`).join('\n'),
        )
        .replace(/server \{\s+listen 80;[^}]+\}/, '')
        .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
        .replace(/^\s+ssl_certificate.*\n/gm, '')
      return `daemon off; worker_processes 1; error_log stderr; pid nginx.pid; events {} http { access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
        ${example} }`
    },
    args: (config, folder) => ['-p', folder, '-c', config],
  },
  {
    name: 'caddy',
    file: find('caddy', 'CADDY'),
    config: (port, services) =>
      `{\n admin off\n auto_https off\n}\n${readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8')
        .replace('tasks.example.com {', `http://localhost:${port}, http://127.0.0.1:${port} {`)
        .replace('127.0.0.1:3000', services.map(at => `127.0.0.1:${at}`).join(' '))}`,
    args: config => ['run', '--config', config, '--adapter', 'caddyfile'],
  },
]

function find(name: string, variable: string): string | null {
  const configured = process.env[variable]
  if (configured) return configured
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map(folder => join(folder, name)).find(file => existsSync(file)) ?? null
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}

/** Starts a proxy in a folder of its own and waits until it reaches the service. */
export async function startProxy(
  proxy: Proxy,
  { config, folder, origin }: { readonly config: string; readonly folder: string; readonly origin: string },
): Promise<ChildProcess> {
  const own = join(folder, 'proxy.conf')
  mkdirSync(join(folder, 'proxy-run'))
  writeFileSync(own, config)
  const child = spawn(proxy.file!, proxy.args(own, join(folder, 'proxy-run')), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HOME: folder, PATH: process.env['PATH'] },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (more: string) => (said += more))
  for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
    if ((await fetch(`${origin}/healthz`).catch(() => null))?.ok) return child
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${proxy.name} does not serve: ${said}`)
  }
}
