import { ToolError } from 'tasuki/plugin'
import { html, type Html } from './html.ts'
import type { HttpRequest } from './http-context.ts'
import { partTexts } from './ui/texts.ts'
import type { Visit } from './visit.ts'

/**
 * Runs what a plugin contributes to a page that others share, so that the page is shown even if it fails. The log then names the plugin.
 * @param instead the result if it fails
 * @throws if the database is unavailable, because that concerns the whole page
 */
export function containPart<T, I>(
  http: HttpRequest,
  contribution: unknown,
  part: () => Promise<T>,
  instead: I,
): Promise<T | I>
export function containPart<T, I>(http: HttpRequest, contribution: unknown, part: () => T, instead: I): T | I
export function containPart(
  { services, request }: HttpRequest,
  contribution: unknown,
  part: () => unknown,
  instead: unknown,
): unknown {
  const contain = (error: unknown): unknown => {
    if (services.isUnavailable(error) || (error instanceof ToolError && error.code === 'unavailable')) throw error
    const plugin = services.addedBy(contribution)
    request.log.error({ err: error, plugin }, `what plugin ${plugin} adds to a page of the portal failed`)
    return instead
  }
  try {
    const result = part()
    return result instanceof Promise ? result.catch(contain) : result
  } catch (error) {
    return contain(error)
  }
}

/** Says in place of a part of a page that it failed. */
export function failedPart({ language, request }: Visit): Html {
  return html`<p class="quiet">${partTexts(language).errors.failedText(request.id)}</p>`
}
