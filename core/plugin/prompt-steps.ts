import type { PromptMessage } from './resource.ts'

/** A step in the text of a prompt. */
export interface PromptStep {
  /** Tools that the step mentions; it is omitted if the connection lacks one. */
  readonly tools?: readonly string[]
  readonly text: string
}

/**
 * Builds a prompt as one user message: the aim, then numbered steps.
 * @param has tells whether the connection has a tool; steps with other tools are omitted
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
