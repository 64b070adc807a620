import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { diffView, hunksOf } from '../../../plugins/items/portal/diff.ts'
import { html } from '../../../plugins/portal/html.ts'
import { sendHtml } from '../../../plugins/portal/send-html.ts'
import { markdownView } from '../../../plugins/portal/ui/markdown-view.ts'
import type { Visit } from '../../../plugins/portal/visit.ts'
import { MARKDOWN } from '../../stalls/corpus.ts'
import { verifies } from '../../verifies.ts'

const visit = { language: 'en' } as Visit
const LONGEST = 96_000
const NOTICE = 'shown as it was written'
const view = async (text: string): Promise<string> => (await markdownView(visit, text, 2)).text

verifies('portal.long_texts', 'long texts are rendered like short ones', async () => {
  const short = 'a **b** <i>\n\n|c|\n|-|\n|d|\n\n'
  const one = (await view(short)).replace(/<\/?div class="prose">|<\/div>$/g, '')
  const long = await view(short.repeat(500))
  assert.match(one, /<strong>b<\/strong> &lt;i&gt;.*<th>c<\/th>/s)
  assert.equal(long, `<div class="prose">${one.repeat(500)}</div>`)
})

verifies('portal.long_texts', 'a text that would make the page too long is shown unrendered', async () => {
  const { make } = MARKDOWN.find(({ name }) => name === 'a definition that is used')!
  const text = await view(make(LONGEST))
  assert.ok(text.includes(NOTICE))
  assert.ok(text.includes(`<pre tabindex="0">${make(LONGEST)}</pre>`))
})

verifies(
  'portal.long_texts',
  'a text that takes too long is shown unrendered, and later texts are rendered',
  async () => {
    const { make } = MARKDOWN.find(({ name }) => name === 'pictures')!
    const texts = await Promise.all(Array.from({ length: 40 }, () => view(make(LONGEST))))
    assert.ok(texts.at(-1)!.includes(NOTICE), 'the last of a queue comes after the deadline')
    assert.ok(!(await view('# a\n'.repeat(1000))).includes(NOTICE))
  },
)

verifies('portal.long_texts', 'a long comparison shows its beginning, and how many lines are left out', async () => {
  const before = Array.from({ length: 5000 }, (_, n) => `old ${n}\n`).join('')
  const after = Array.from({ length: 5000 }, (_, n) => `new ${n}\n`).join('')
  const found = await hunksOf(before, after)
  const shown = found.hunks.reduce((sum, lines) => sum + lines.length, 0)
  assert.ok(shown <= 1500)
  assert.ok(found.more >= 8500)
  const { text } = diffView(visit, found, 'unified')
  assert.ok(text.includes('old 0') && text.includes('new 0'))
  assert.match(text, /Lines left out: 8,50\d/)
})

test('a long page is kept and sent in pieces', async t => {
  const app = fastify()
  t.after(() => app.close())
  const parts = Array.from({ length: 40 }, (_, n) => '👩‍👩‍👧日本語 é'.repeat(n * 100))
  const starts = ['', 'a']
  const pages = starts.map(start => html`${start}${[parts.map(part => html`<li>${part}</li>`), parts]}`)
  app.get('/:n', (request, reply) => {
    const { n } = request.params as { readonly n: number }
    return sendHtml({ reply } as Visit, 200, pages[n]!)
  })
  for (const [n, page] of pages.entries()) {
    const { body, headers } = await app.inject(`/${n}`)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.ok(page.pieces.length > 3)
    assert.ok(Math.max(...page.pieces.map(({ length }) => length)) < 200_000)
    const list = parts.map(part => `<li>${part}</li>`).join('')
    assert.ok(body === starts[n] + list + parts.join(''), `page ${n} has other characters`)
  }
})
