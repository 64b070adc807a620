import { clip } from '../plugin/clip.ts'
import { ToolError } from '../plugin/errors.ts'
import type { CompiledTool } from '../runtime/registry/types.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { INVALID_PARAMS, RpcError } from './message.ts'
import { scopeError } from './connection-view.ts'
import type { McpOptions } from './options.ts'
import type { RequestContext } from './request-context.ts'
import { similarTools } from './similar-tools.ts'

/**
 * Finds the tool that a request names.
 * @throws RpcError if the connection has no tool of that name; RpcError or ToolError if the tool needs scope `write`
 */
export async function findTool(
  { options }: EndpointContext,
  { request, http, view, revision }: RequestContext,
): Promise<CompiledTool> {
  const { name } = request.params
  if (typeof name !== 'string') throw new RpcError(INVALID_PARAMS, 'Invalid params: name must be a string')
  const tool = view.tools.get(name)
  if (tool) return tool
  if (!view.needWrite.has(name)) return refuseUnknown(options, view, name)
  const message = `${name} writes, and the credential of this connection may only read`
  if (!revision.scopeChallenge)
    throw new ToolError('insufficient_scope', message, { hint: 'Connect with a credential of scope write.' })
  throw scopeError(options, http, message)
}

/** Explains why the tool is unavailable and suggests similar tools of this connection. @throws RpcError */
async function refuseUnknown(options: McpOptions, view: RequestContext['view'], name: string): Promise<never> {
  const { meant, similar } = similarTools(name, view.tools.values())
  const why = options.registry.tools.has(name)
    ? ` exists, but this connection does not show it: its profile ${view.profile} or its address leaves it out`
    : await offText(options, name)
  if (why === '' && meant !== null)
    throw new RpcError(INVALID_PARAMS, `Unknown tool: ${clip(name)}; did you mean ${meant}?`)
  const others = similar.map(each => `${each.name} (${each.tool.title})`).join(', ')
  const next = others === '' ? 'tools/list has those of this connection' : `similar tools: ${others}`
  throw new RpcError(INVALID_PARAMS, `Unknown tool: ${clip(name)}${why}; ${next}`)
}

async function offText({ offPluginOf }: McpOptions, name: string): Promise<string> {
  const plugin = (await offPluginOf?.(name)) ?? null
  return plugin === null ? '' : ` belongs to the plugin ${plugin}, which is off on this service`
}
