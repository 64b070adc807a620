import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { ToolFailure, type TestCaller } from 'tasuki/testing'

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any tool
type Answer = any

/** The conversation of a model for one task. Counts the calls, and the tokens that the model writes and reads. */
export interface Conversation {
  readonly calls: number
  readonly tokens: number
  /** Calls a tool. @throws ToolFailure */
  call(tool: string, args?: object, meta?: Readonly<Record<string, unknown>>): Promise<Answer>
  /** Calls a tool that asks for confirmation, and repeats the call with the confirm token. Both calls count. */
  confirmed(tool: string, args: object): Promise<Answer>
  /** Calls a tool that must refuse. @returns the refusal */
  refused(tool: string, args: object, meta?: Readonly<Record<string, unknown>>): Promise<ToolFailure>
}

const tokensOf = (text: string): number => encode(text).length

export function startConversation(caller: TestCaller): Conversation {
  let calls = 0
  let tokens = 0
  const call: Conversation['call'] = async (tool, args = {}, meta) => {
    const { body } = await caller.rpc('tools/call', { name: tool, arguments: args, ...(meta && { _meta: meta }) })
    if (body.error) throw new Error(`${tool}: ${body.error.message}`)
    const { isError, content, structuredContent } = body.result
    calls++
    tokens += tokensOf(`${tool}${JSON.stringify(args)}`)
    for (const block of content as { text?: string }[]) tokens += tokensOf(block.text ?? '')
    if (!isError) return structuredContent
    const data = JSON.parse(content[0].text)
    if (data.error) throw new ToolFailure(data.error)
    return data
  }
  const refused: Conversation['refused'] = async (tool, args, meta) => {
    const answer: unknown = await call(tool, args, meta).catch((error: unknown) => error)
    if (answer instanceof ToolFailure) return answer
    throw answer instanceof Error ? answer : new Error(`${tool} did not refuse: ${JSON.stringify(answer)}`)
  }
  return {
    get calls() {
      return calls
    },
    get tokens() {
      return tokens
    },
    call,
    refused,
    async confirmed(tool, args) {
      const question = await refused(tool, args)
      if (question.code !== 'confirmation_required') throw question
      return call(tool, { ...args, confirm_token: question.details['confirm_token'] })
    },
  }
}
