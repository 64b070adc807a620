import { defineThread, Turn } from 'tasuki/plugin'
import { html, Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { renderTask, type MarkdownTask } from './markdown-worker.ts'
import { renderMarkdown } from './markdown.ts'
import { partTexts } from './texts.ts'

/** Maximum length of texts rendered in this thread, in characters; takes at most some milliseconds. */
const MAX_INLINE = 2_000
/** The same for texts with tables, since a short row can have many cells. */
const MAX_INLINE_TABLE = 300
/** Time limit for rendering in milliseconds, including the queue. */
const DEADLINE_MS = 2_000
/** Milliseconds until an idle thread ends. */
const IDLE_MS = 30_000
/** One turn of the event loop per text, since a page may have many. */
const turn = new Turn(0)
/** Heap limit of the thread in megabytes; the most expensive texts need half of it. */
const HEAP_MB = 64

/**
 * Renders Markdown of users. Long texts are rendered in a worker thread; a text that exceeds its limits is shown as plain text, with a
 * notice.
 * @param top level of its highest heading
 */
export async function markdownView(visit: Pick<Visit, 'language'>, text: string, top: 2 | 3): Promise<Html> {
  if (text.length <= (text.includes('|') ? MAX_INLINE_TABLE : MAX_INLINE)) {
    await turn.next()
    return prose(Html.trusted(renderMarkdown(text, top)))
  }
  const rendered = await renderInThread({ text, top })
  if (rendered !== null) return prose(Html.trusted(rendered))
  await turn.next()
  return prose(
    html`<p class="quiet">${partTexts(visit.language).asWritten}</p>
      <pre tabindex="0">${text}</pre>`,
  )
}

function prose(content: Html): Html {
  return html`<div class="prose">${content}</div>`
}

const thread = defineThread(import.meta.url, './markdown-worker', { idleMs: IDLE_MS, heapMb: HEAP_MB })

/** @returns null if it takes too long, needs too much memory, or produces too much markup */
async function renderInThread(task: MarkdownTask): Promise<string | null> {
  const pool = await thread()
  try {
    return (await pool.run(task, { name: renderTask.name, signal: AbortSignal.timeout(DEADLINE_MS) })) as string
  } catch {
    return null
  }
}
