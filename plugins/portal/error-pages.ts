import type { FastifyError, FastifyReply } from 'fastify'
import { ToolError } from 'tasuki/plugin'
import type { HttpContext } from './http-context.ts'
import { html, type Child } from './html.ts'
import { portalProjects } from './projects.ts'
import { sendHtml } from './send-html.ts'
import { addressOf } from './ui/form.ts'
import { layout } from './ui/layout.ts'
import { refusalText } from './ui/refusals.ts'
import { partTexts } from './ui/texts.ts'
import { findOpenVisit, type Visit } from './visit.ts'

/** Responds to an error of a page or form with a page that explains it. */
export function sendFailure(http: HttpContext, error: FastifyError): FastifyReply {
  const { services, request } = http
  const visit = findOpenVisit(http, 'portal error')
  const { errors } = partTexts(visit.language)
  const code = error instanceof ToolError ? error.code : null
  if (code === 'not_found' || code === 'invalid_argument')
    return sendError(visit, 404, errors.notFound, errors.notFoundText)
  if (error instanceof ToolError && code === 'forbidden')
    return sendError(visit, 403, errors.forbidden, refusalText(visit.language, error))
  if (error instanceof ToolError && code === 'feature_disabled')
    return sendError(visit, 404, errors.featureOff, featureOffText(visit, error))
  if (error instanceof ToolError && code === 'ambiguous_ref' && visit.params['key'] !== undefined)
    return sendError(visit, 300, errors.which, projectChoices(visit, error))
  if (error instanceof ToolError && code !== 'internal' && code !== 'unavailable')
    return sendError(visit, 409, errors.refused, refusalText(visit.language, error))
  // Requests that Fastify rejects before a page handles them, such as an invalid form body.
  const { statusCode = 500 } = error
  if (statusCode === 413) return sendError(visit, 413, errors.tooLarge, errors.tooLargeText)
  if (statusCode < 500) return sendError(visit, statusCode, errors.stale, errors.staleText)
  if (services.isOutcomeUnknown(error)) {
    request.log.warn({ err: error }, 'whether a form of the portal was saved is unknown')
    return sendError(visit, 503, errors.unknown, errors.unknownText)
  }
  if (code === 'unavailable' || services.isUnavailable(error)) {
    request.log.warn({ err: error }, 'a page of the portal has to wait for the database')
    return sendError(visit, 503, errors.away, errors.awayText, { headers: { 'retry-after': '2' } })
  }
  request.log.error({ err: error }, 'a page of the portal failed')
  return sendError(visit, 500, errors.failed, errors.failedText(request.id))
}

/** Names the feature, and links to where the owner can turn it on. */
function featureOffText({ services, language, params: { key } }: Visit, { help }: ToolError): Child {
  const { errors } = partTexts(language)
  const [projects] = services.all(portalProjects)
  const name = projects?.featureName(language, String(help.details?.['feature']))
  const text = name === undefined ? errors.featureOff : errors.featureOffText(name)
  if (!projects || key === undefined) return text
  return html`${text} <a href="${addressOf(projects.featuresPath, { key })}">${errors.features(key)}</a>`
}

/** Links to the same page of each project that the key may name. */
function projectChoices({ language, params, request }: Visit, { help }: ToolError): Child {
  const { url: path = '' } = request.routeOptions
  const names = (help.allowed ?? []).map(name => name.replace(/#\d+$/, ''))
  const links = names.map(name => html` <a href="${addressOf(path, { ...params, key: name })}">${name}</a>`)
  return html`${partTexts(language).errors.whichText}${links}`
}

/** Sends an error page. */
export function sendError(
  visit: Visit,
  status: number,
  title: string,
  text: Child,
  { headers = {}, more }: { readonly headers?: Readonly<Record<string, string>>; readonly more?: Child } = {},
): FastifyReply {
  visit.reply.headers(headers)
  const { back } = partTexts(visit.language)
  const content = html`<h1>${title}</h1>
    <p>${text}</p>
    ${more}
    <p><a href="/">${back}</a></p>`
  return sendHtml(visit, status, layout(visit, { title, content, path: null }))
}
