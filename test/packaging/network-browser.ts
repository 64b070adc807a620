import { newBrowser, type Browser } from '../plugins/portal/portal-host.ts'

/** A browser that sends its requests over the network. */
export function networkBrowser(origin: string): Browser {
  const inject = async (sent: { method: string; url: string; headers: Record<string, string>; payload?: Buffer }) => {
    const { host: _host, ...headers } = sent.headers
    const { method, payload } = sent
    const answer = await fetch(new URL(sent.url, origin), {
      method,
      headers,
      redirect: 'manual',
      ...(payload !== undefined && { body: payload as never }),
    })
    const rawPayload = Buffer.from(await answer.arrayBuffer())
    const cookies = answer.headers.getSetCookie().map(line => {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      return { name: name!, value: value!, ...(/max-age=0/i.test(line) && { maxAge: 0 }) }
    })
    return {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: rawPayload.toString(),
      rawPayload,
      cookies,
    }
  }
  return newBrowser({ inject } as unknown as Parameters<typeof newBrowser>[0], origin)
}
