import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { UPLOAD_LIMIT } from '../../plugins/attachments/settings.ts'
import { modernHeaders, modernMeta } from '../core/mcp/stub.ts'
import { migratedFolder } from '../core/migrated-folder.ts'
import { httpCaller, type HttpCaller } from '../http-caller.ts'
import { PASSWORD } from '../plugins/portal/portal-host.ts'
import { networkBrowser } from './network-browser.ts'
import { freePort, PROXIES, startProxy } from './proxies.ts'
import { serve, succeed, TASUKI, TASUKI_ITSELF, type Serving } from '../processes.ts'

const TOKEN = `svc_pat_${'Pr0xyTest9'.repeat(4)}`

for (const proxy of PROXIES)
  describe(
    `behind ${proxy.name}`,
    { skip: proxy.file === null && `${proxy.name} is not installed; ${proxy.name.toUpperCase()} may name it` },
    () => {
      const folder = mkdtempSync(join(tmpdir(), `tasuki-${proxy.name}-`))
      let server: Serving
      let child: ChildProcess
      let origin: string
      let caller: HttpCaller
      let env: Readonly<Record<string, string>>

      before(async () => {
        const [port, service] = [await freePort(), await freePort()]
        origin = `http://localhost:${port}`
        const dataDir = join(folder, 'data')
        await migratedFolder(dataDir)
        const config = join(folder, 'tasuki.json')
        writeFileSync(config, JSON.stringify({ trusted_proxies: ['loopback'] }))
        env = {
          DATA_DIR: dataDir,
          CONFIG: config,
          PORT: String(service),
          BASE_URL: origin,
          BOOTSTRAP_EMAIL: 'o@example.com',
          BOOTSTRAP_TOKEN: TOKEN,
        }
        server = await serve(TASUKI_ITSELF, { cwd: folder, env })
        child = await startProxy(proxy, { config: proxy.config(port, [service]), folder, origin })
        caller = httpCaller(origin, TOKEN)
      })
      after(async () => {
        // SIGTERM, because nginx has to stop its worker.
        if (child?.kill('SIGTERM')) await once(child, 'exit')
        await server?.stop()
        rmSync(folder, { recursive: true, force: true })
      })

      const upload = async (bytes: Buffer): Promise<Response> => {
        const { item } = await caller.call('items_create', { project_key: 'INBOX', title: 'With a file' })
        const { upload_url: url } = await caller.call('attachments_upload', {
          parent_kind: 'item',
          parent_ref: item.ref,
          filename: 'measurements.txt',
          mime_type: 'text/plain',
        })
        assert.ok(String(url).startsWith(origin), url)
        return fetch(url, {
          method: 'PUT',
          body: bytes as never,
          headers: { 'content-type': 'text/plain' },
        })
      }

      const listen = (resourceSubscriptions: readonly string[], signal: AbortSignal): Promise<Response> =>
        fetch(`${origin}/mcp`, {
          method: 'POST',
          signal,
          headers: {
            ...modernHeaders('subscriptions/listen'),
            authorization: `Bearer ${TOKEN}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'subscriptions/listen',
            params: { notifications: { resourceSubscriptions }, _meta: modernMeta() },
          }),
        })

      test('a file of 80 MB passes unchanged in both directions', async () => {
        const bytes = Buffer.from(randomBytes(40 * 1024 * 1024).toString('hex'))
        const answer = await upload(bytes)
        assert.equal(answer.status, 201, await answer.clone().text())
        const { attachment } = (await answer.json()) as { attachment: { id: string } }
        const { download_url: url } = await caller.call('attachments_download', { attachment_id: attachment.id })
        assert.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes))
      })

      test('an upload that is too large is refused with 413', async () => {
        const answer = await upload(Buffer.alloc(UPLOAD_LIMIT + 1000, 'x')).catch(() => null)
        // A client that continues to send after the refusal may lose the answer.
        assert.ok(answer === null || answer.status === 413, String(answer?.status))
      })

      test('a file of 16 MB is uploaded on the import page and planned', async () => {
        const browser = networkBrowser(origin)
        const link = await succeed(TASUKI, ['portal', 'setup-link', 'o@example.com'], { cwd: folder, env })
        await browser.get('/setup')
        await browser.send('/setup', { code: /\/setup#(\S+)/.exec(link)![1]!, password: PASSWORD, again: PASSWORD })
        const page = await browser.get('/imports')
        const [, project] = /<option\s+value="([^"]+)" selected>INBOX/.exec(page.text)!
        const detail = 'What happened, and what was expected instead. '.repeat(220)
        const rows = Array.from({ length: 1600 }, (_, n) => `k${n},Item ${n},"${detail}"`)
        const fields = { format: 'detect', project: project!, key: '', name: '' }
        const file = { field: 'file', name: 'many.csv', bytes: ['key,title,detail', ...rows].join('\n') }
        assert.ok(file.bytes.length > 16e6)
        const answer = await browser.upload('/imports', fields, [file])
        assert.equal(answer.status, 303, answer.text)
        const plan = await browser.get(answer.location!)
        assert.match(plan.text, /1,?600/)
      })

      test('the service sees the name and port that the client used', async () => {
        const other = origin.replace('localhost', '127.0.0.1')
        const answer = await fetch(`${other}/.well-known/oauth-protected-resource/mcp`)
        assert.equal(((await answer.json()) as { resource: string }).resource, `${other}/mcp`)
      })

      test('events of a stream arrive as they are sent', async () => {
        const { item } = await caller.call('items_create', { project_key: 'INBOX', title: 'Watched' })
        const uri = `tasuki://item/${encodeURIComponent(item.ref)}`
        const end = new AbortController()
        const late = setTimeout(() => end.abort(new Error('the events did not arrive')), 10_000)
        const answer = await listen([uri], end.signal)
        assert.equal(answer.headers.get('content-type'), 'text/event-stream')
        const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        const until = async (what: RegExp): Promise<void> => {
          while (!what.test(text)) {
            const { value, done } = await reader.read()
            assert.ok(!done, text)
            text += value
          }
        }
        await until(/resourceSubscriptions/)
        assert.doesNotMatch(text, /resources\/updated/)
        await caller.call('items_patch', { item_ref: item.ref, title: 'Changed' })
        await until(/resources\/updated/)
        clearTimeout(late)
        end.abort()
      })

      test('the service learns that a client has left, whose streams no longer count', async () => {
        const most = 16
        const openAndLeave = async (): Promise<number> => {
          const client = new AbortController()
          const answers = await Promise.all(Array.from({ length: most }, () => listen([], client.signal)))
          client.abort()
          return answers.filter(({ headers }) => headers.get('content-type') === 'text/event-stream').length
        }
        await openAndLeave()
        // Less than the interval of the comments that keep streams alive, which fail on a client that has left.
        for (const deadline = Date.now() + 10_000; (await openAndLeave()) < most; await sleep(100))
          assert.ok(Date.now() < deadline, 'the streams of a client that left are still open')
      })

      test('a stranger who breaks off a request does not make the service look down', async () => {
        const socket = connect(Number(new URL(origin).port), '127.0.0.1')
        const headers = `Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 500`
        socket.write(`POST /oauth/token HTTP/1.1\r\n${headers}\r\n\r\na`)
        await sleep(300)
        socket.end()
        await once(socket.resume(), 'close')
        await caller.call('items_create', { project_key: 'INBOX', title: 'After the stranger' })
      })

      test('after a restart the next call is answered; Caddy holds a call until the service is back', async () => {
        const stopped = server.output.stdout
        assert.equal(await server.stop(), 0, stopped)
        const meanwhile = fetch(`${origin}/healthz`)
        if (proxy.name === 'nginx') assert.equal((await meanwhile).status, 502)
        server = await serve(TASUKI_ITSELF, { cwd: folder, env })
        if (proxy.name === 'caddy') assert.equal((await meanwhile).status, 200)
        assert.equal((await fetch(`${origin}/healthz`)).status, 200)
        await caller.call('items_create', { project_key: 'INBOX', title: 'After the restart' })
      })

      test('the service sees the client, and the metrics stay inside', async () => {
        assert.equal((await fetch(`${origin}/metrics`)).status, 404)
        assert.doesNotMatch(server.output.stdout, /trusted_proxies is empty/)
        await fetch(`${origin}/mcp`, { method: 'POST', headers: { 'x-forwarded-for': '203.0.113.7' } })
        const refused = server.output.stdout.split('\n').filter(line => line.includes('request refused'))
        for (const line of refused) assert.doesNotMatch(line, /203\.0\.113\.7/)
      })
    },
  )
