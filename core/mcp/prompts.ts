import type { Prompt } from '../plugin/resource.ts'
import { checkStorable } from './arguments.ts'
import { digestCall } from './digest.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { createCallScope, type RequestContext, type Result } from './request-context.ts'
import { HostClientChannel } from './client-channel.ts'
import { clip } from '../plugin/clip.ts'
import { INVALID_PARAMS, isObject, RpcError, stringifyMembers } from './message.ts'

/** Returns the members of the result of prompts/list, as JSON text. */
export function listPrompts({ view }: RequestContext): string {
  const prompts = [...view.prompts.values()].map(({ name, title, description, arguments: args }) => {
    return { name, title, description, arguments: args }
  })
  return stringifyMembers({ prompts })
}

export async function getPrompt(endpoint: EndpointContext, context: RequestContext): Promise<Result> {
  const { request, view } = context
  const { params } = request
  const prompt = findPrompt(context, params['name'])
  const args = params['arguments'] ?? {}
  if (!isObject(args) || Object.values(args).some(value => typeof value !== 'string'))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: arguments must be an object of strings')
  checkStorable(args)
  const missing = (prompt.arguments ?? []).filter(({ name, required }) => required && !(name in args))
  if (missing.length > 0)
    throw new RpcError(
      INVALID_PARAMS,
      `Invalid params: missing arguments ${missing.map(({ name }) => name).join(', ')}`,
    )
  const channel = new HostClientChannel(endpoint, context, () => digestCall(prompt.name, args))
  const messages = await endpoint.options.runner.read(createCallScope(context, prompt.name, channel), ctx =>
    prompt.get(ctx, args as Readonly<Record<string, string>>, tool => view.tools.has(tool)),
  )
  return { members: stringifyMembers({ description: prompt.description, messages }) }
}

/** @throws RpcError if the connection does not have the prompt */
export function findPrompt({ view }: Pick<RequestContext, 'view'>, name: unknown): Prompt {
  const prompt = typeof name === 'string' ? view.prompts.get(name) : undefined
  if (prompt) return prompt
  throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${clip(String(name))}`)
}
