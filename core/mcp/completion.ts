import { clip } from '../plugin/clip.ts'
import { argumentValues } from '../plugin/host-points.ts'
import type { ReadContext } from '../plugin/context.ts'
import { checkStorable } from './arguments.ts'
import { digestCall } from './digest.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { createCallScope, type RequestContext, type Result } from './request-context.ts'
import { HostClientChannel } from './client-channel.ts'
import { INVALID_PARAMS, isObject, RpcError, stringifyMembers } from './message.ts'
import { findPrompt } from './prompts.ts'
import { templateParts } from './resource-address.ts'

const MAX_COMPLETIONS = 100
/** Longer than any name, so nothing can match. */
const MAX_TYPED = 200

type OtherArguments = Readonly<Record<string, string>>
type Complete = (ctx: ReadContext, value: string, given: OtherArguments) => Promise<readonly string[]>

/** What the user has typed of an argument, and the values of the other ones. */
interface Typed {
  readonly argument: string
  readonly value: string
  readonly given: OtherArguments
}

/** A prompt or resource template whose arguments can be completed: their names, and its own completion function. */
interface Completable {
  readonly names: readonly string[]
  readonly own: ((ctx: ReadContext, argument: string, value: string) => Promise<readonly string[]>) | undefined
}

/** Returns whether any prompt argument or template variable of this connection has completions. */
export function supportsCompletion(
  { registry }: EndpointContext['options'],
  { prompts, resources }: RequestContext['view'],
): boolean {
  const known = new Set(registry.all(argumentValues).map(({ argument }) => argument))
  return (
    [...prompts.values()].some(
      prompt => prompt.complete !== undefined || (prompt.arguments ?? []).some(({ name }) => known.has(name)),
    ) || resources.some(({ uriTemplate = '' }) => templateParts(uriTemplate).some(name => known.has(name)))
  )
}

/** Answers completion/complete for prompt arguments and variables of resource templates. */
export async function complete(endpoint: EndpointContext, context: RequestContext): Promise<Result> {
  const { ref, argument, context: entered } = context.request.params
  if (
    !isObject(ref) ||
    !isObject(argument) ||
    typeof argument['name'] !== 'string' ||
    typeof argument['value'] !== 'string'
  ) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: ref and argument {name, value} are required')
  }
  const { name, value } = argument as { name: string; value: string }
  const given = isObject(entered) && isObject(entered['arguments']) ? pickStrings(entered['arguments']) : {}
  checkStorable({ value, given })
  const target = findCompletable(context, ref)
  if (target.names.length > 0 && !target.names.includes(name))
    throw new RpcError(INVALID_PARAMS, `Unknown argument: ${clip(name)}; there are ${target.names.join(', ')}`)
  const values =
    value.length > MAX_TYPED ? [] : await suggest(endpoint, context, target, { argument: name, value, given })
  const hasMore = values.length > MAX_COMPLETIONS
  const completion = {
    values: values.slice(0, MAX_COMPLETIONS),
    ...(!hasMore && { total: values.length }),
    hasMore,
  }
  return { members: stringifyMembers({ completion }) }
}

function pickStrings(values: Readonly<Record<string, unknown>>): OtherArguments {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function findCompletable(context: RequestContext, ref: Readonly<Record<string, unknown>>): Completable {
  if (ref['type'] === 'ref/prompt') {
    const prompt = findPrompt(context, ref['name'])
    return { names: (prompt.arguments ?? []).map(argument => argument.name), own: prompt.complete?.bind(prompt) }
  }
  const resource =
    ref['type'] === 'ref/resource' &&
    context.view.resources.find(({ uri, uriTemplate }) => ref['uri'] === (uriTemplate ?? uri))
  if (!resource) throw new RpcError(INVALID_PARAMS, 'Invalid params: ref names no prompt and no resource')
  return { names: templateParts(resource.uriTemplate ?? ''), own: undefined }
}

async function suggest(
  endpoint: EndpointContext,
  context: RequestContext,
  { own }: Completable,
  { argument, value, given }: Typed,
): Promise<readonly string[]> {
  const shared = endpoint.options.registry.all(argumentValues).find(each => each.argument === argument)
  const run: Complete | undefined = own ? (ctx, typed) => own(ctx, argument, typed) : shared?.complete
  if (!run) return []
  const channel = new HostClientChannel(endpoint, context, () => digestCall(argument, { value, given }))
  return endpoint.options.runner.read(createCallScope(context, 'completion/complete', channel), ctx =>
    run(ctx, value, given),
  )
}
