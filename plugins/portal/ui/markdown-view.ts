import { getCompileCacheDir } from 'node:module'
import { dirname, extname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Piscina } from 'piscina'
import { html, Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { renderTask, type MarkdownTask } from './markdown-worker.ts'
import { renderMarkdown } from './markdown.ts'
import { partTexts } from './texts.ts'

/** Characters of a text that is rendered at once; it takes at most some milliseconds. */
const QUICK = 2_000
/** The same for texts with tables: a row of few characters can have many cells. */
const QUICK_TABLE = 300
/** Milliseconds that rendering may take, with waiting for other texts. */
const DEADLINE_MS = 2_000
/** Milliseconds without a text after which the thread ends. */
const IDLE_MS = 30_000
/** Megabytes that the thread may fill; the dearest texts need half of it. */
const HEAP_MB = 64

/**
 * Markdown of users as markup. Long texts are rendered by another thread; one that takes too long or too much there is shown as it was
 * written, with a notice.
 * @param top level of its highest heading
 */
export async function markdownView(visit: Pick<Visit, 'language'>, text: string, top: 2 | 3): Promise<Html> {
  if (text.length <= (text.includes('|') ? QUICK_TABLE : QUICK)) {
    await ownTurn()
    return prose(Html.trusted(renderMarkdown(text, top)))
  }
  const rendered = await renderElsewhere({ text, top })
  if (rendered !== null) return prose(Html.trusted(rendered))
  await ownTurn()
  return prose(
    html`<p class="quiet">${partTexts(visit.language).asWritten}</p>
      <pre tabindex="0">${text}</pre>`,
  )
}

function prose(content: Html): Html {
  return html`<div class="prose">${content}</div>`
}

let lastTurn: Promise<unknown> = Promise.resolve()
/** A turn of the event loop for each text: a page has many of them. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate())
  return lastTurn
}

let threads: Promise<Piscina> | undefined
async function startThreads(): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  // Threads begin without the cache of this one, and would compile the sources anew.
  const cache = getCompileCacheDir()
  return new Piscina({
    filename: new URL(`./markdown-worker${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) },
  })
}

/** @returns null where it takes too long or too much memory, or makes a text that is too long */
async function renderElsewhere(task: MarkdownTask): Promise<string | null> {
  threads ??= startThreads()
  const pool = await threads
  try {
    return (await pool.run(task, { name: renderTask.name, signal: AbortSignal.timeout(DEADLINE_MS) })) as string
  } catch {
    return null
  }
}
