import { renderMarkdown } from './markdown.ts'

/** A text to render, as it is sent to the thread. */
export interface MarkdownTask {
  readonly text: string
  readonly top: 2 | 3
}

/** Runs in a thread of its own: long texts take up to a second. */
export const renderTask = ({ text, top }: MarkdownTask): string => renderMarkdown(text, top)
