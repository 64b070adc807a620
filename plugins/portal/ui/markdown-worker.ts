import { renderMarkdown } from './markdown.ts'

/** A task for the worker thread. */
export interface MarkdownTask {
  readonly text: string
  readonly top: 2 | 3
}

/** Runs in a worker thread: long texts take up to a second. */
export const renderTask = ({ text, top }: MarkdownTask): string => renderMarkdown(text, top)
