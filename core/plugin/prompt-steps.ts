import type { PromptMessage } from './resource.ts'

/** One step of what a prompt asks for. */
export interface PromptStep {
  /** Tools that it names: the step is left out where the connection lacks one. */
  readonly tools?: readonly string[]
  readonly text: string
}

/**
 * Writes a prompt as one message of the user: the aim, then numbered steps.
 * @param has whether the connection has a tool; the text names no other
 */
export function promptSteps(
  aim: string,
  steps: readonly PromptStep[],
  has: (tool: string) => boolean,
): readonly PromptMessage[] {
  const possible = steps.filter(({ tools = [] }) => tools.every(has))
  const lines = [aim, ...possible.map(({ text }, n) => `${n + 1}. ${text}`), 'Answer in the language of the user.']
  return [{ role: 'user', content: { type: 'text', text: lines.join('\n') } }]
}
