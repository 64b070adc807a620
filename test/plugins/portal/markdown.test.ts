import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '../../../plugins/portal/ui/markdown.ts'

test('a task list is shown with its boxes, and other brackets stay as they are', () => {
  const html = renderMarkdown('- [ ] open **now**\n- [x] done\n- [X] also\n- [y] no\n- [ ]\n\n[ ] no list\n', 2)
  assert.equal(html.match(/<li class="task">/g)!.length, 3)
  assert.match(html, /<li class="task">☐ open <strong>now<\/strong><\/li>/)
  assert.match(html, /☑ done/)
  assert.match(html, /☑ also/)
  assert.match(html, /<li>\[y\] no<\/li>/)
  assert.match(html, /<p>\[ \] no list<\/p>/)
  assert.match(renderMarkdown('1. [ ] one\n\n   more\n\n2. `[x]` code\n', 2), /☐ one<\/p>.*<code>\[x\]<\/code> code/s)
})
