import type { Prompt } from '../plugin/resource.ts'
import { callDigest } from './digest.ts'
import { callScope, type Exchange, type Result, type Service } from './exchange.ts'
import { HostLine } from './line.ts'
import { clip } from '../plugin/clip.ts'
import { INVALID_PARAMS, isObject, membersOf, RpcError } from './message.ts'

const MOST_COMPLETIONS = 100

export function listedPrompts(prompts: Iterable<Prompt>): string {
  const listed = [...prompts].map(({ name, title, description, arguments: args }) => ({
    name,
    title,
    description,
    arguments: args,
  }))
  return membersOf({ prompts: listed })
}

export async function getPrompt(service: Service, exchange: Exchange): Promise<Result> {
  const { params } = exchange.request
  const prompt = findPrompt(service, params['name'])
  const args = params['arguments'] ?? {}
  if (!isObject(args) || Object.values(args).some(value => typeof value !== 'string')) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: arguments must be an object of strings')
  }
  const missing = (prompt.arguments ?? []).filter(({ name, required }) => required && !(name in args))
  if (missing.length > 0) {
    throw new RpcError(
      INVALID_PARAMS,
      `Invalid params: missing arguments ${missing.map(({ name }) => name).join(', ')}`,
    )
  }
  const line = new HostLine(service, exchange, () => callDigest(prompt.name, args))
  const messages = await service.options.runner.read(callScope(exchange, prompt.name, line), ctx =>
    prompt.get(ctx, args as Readonly<Record<string, string>>),
  )
  return { members: membersOf({ description: prompt.description, messages }) }
}

export async function complete(service: Service, exchange: Exchange): Promise<Result> {
  const { ref, argument } = exchange.request.params
  if (
    !isObject(ref) ||
    !isObject(argument) ||
    typeof argument['name'] !== 'string' ||
    typeof argument['value'] !== 'string'
  ) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: ref and argument {name, value} are required')
  }
  const { name, value } = argument as { name: string; value: string }
  const values = ref['type'] === 'ref/prompt' ? await suggestions(service, exchange, ref['name'], name, value) : []
  if (ref['type'] !== 'ref/prompt' && !isKnownTemplate(service, ref)) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: ref names no prompt and no resource')
  }
  const completion = {
    values: values.slice(0, MOST_COMPLETIONS),
    total: values.length,
    hasMore: values.length > MOST_COMPLETIONS,
  }
  return { members: membersOf({ completion }) }
}

async function suggestions(service: Service, exchange: Exchange, of: unknown, argument: string, value: string) {
  const prompt = findPrompt(service, of)
  if (!prompt.complete) return []
  const line = new HostLine(service, exchange, () => callDigest(prompt.name, { argument, value }))
  return service.options.runner.read(callScope(exchange, prompt.name, line), ctx =>
    prompt.complete!(ctx, argument, value),
  )
}

function isKnownTemplate({ options }: Service, ref: Readonly<Record<string, unknown>>): boolean {
  if (ref['type'] !== 'ref/resource') return false
  return options.registry.resources.some(({ uri, uriTemplate }) => ref['uri'] === (uriTemplate ?? uri))
}

function findPrompt({ options }: Service, name: unknown): Prompt {
  const prompt = typeof name === 'string' ? options.registry.prompts.get(name) : undefined
  if (prompt) return prompt
  throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${clip(String(name))}`)
}
