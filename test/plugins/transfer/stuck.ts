import type { TestHost } from 'tasuki/testing'

export const SECRET = Buffer.alloc(32, 7)
/** Enough for three batches. */
export const ITEMS = 1300

/** Uploads a file as the owner of a host, and starts its import. @returns the address of its page */
export async function beginImport(host: TestHost): Promise<string> {
  const browser = await host.browser()
  const page = await browser.get('/imports')
  const [, project] = /<option\s+value="([^"]+)" selected>INBOX/.exec(page.text)!
  const rows = Array.from({ length: ITEMS }, (_, n) => `k${n},Item ${n},many`)
  const fields = { format: 'detect', project: project!, key: '', name: '' }
  const { location, text: refused } = await browser.upload('/imports', fields, [
    { field: 'file', name: 'many.csv', bytes: ['key,title,labels', ...rows].join('\n') },
  ])
  if (location === undefined) throw new Error(refused)
  await browser.get(location)
  await browser.send(`${location}/start`)
  return location
}
