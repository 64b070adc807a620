import { fastifyCookie } from '@fastify/cookie'
import formBody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HostError, ToolError, type HostServices } from 'tasuki/plugin'
import { serveAssets } from './assets.ts'
import { isSameOrigin, verifyCsrfToken } from './auth/csrf.ts'
import { reauthenticate, type Asked } from './auth/reauthenticate.ts'
import { readCookie } from './auth/cookies.ts'
import { signOutForm } from './auth/sign-out.ts'
import { serveProvider } from './auth/provider-routes.ts'
import { containPart } from './contain-part.ts'
import { sendError, sendFailure } from './error-pages.ts'
import type { HttpContext } from './http-context.ts'
import { readFields, valuesOf, type Body } from './fields.ts'
import { html, type Html } from './html.ts'
import { consumeFlash, setFlash } from './flash.ts'
import { FORM_BYTES, limitLargeForms } from './large-forms.ts'
import { rememberServices } from './on-host.ts'
import { Redirect, Refusal, type Answer, type AnyForm, type AnyPage } from './page.ts'
import { pageLinks, portalForms, portalPages } from './points.ts'
import { hasFileFields, readPostedForm } from './posted-form.ts'
import { runOnce } from './repeated-posts.ts'
import { sendStale } from './stale-form.ts'
import { sendHtml } from './send-html.ts'
import { signInPath } from './sign-in-path.ts'
import { loadFeaturesOff } from './features-off.ts'
import { addressOf, PROOF } from './ui/form.ts'
import { serveLanguages } from './ui/languages.ts'
import { firstPage, layout, PROJECT } from './ui/layout.ts'
import { toFormRefusal } from './ui/refusals.ts'
import { partTexts } from './ui/texts.ts'
import { isSignedIn, openVisit, type RefusedForm, type UserVisit, type Visit } from './visit.ts'

/** Serves the pages of all plugins, and their forms. */
export async function routes(app: FastifyInstance, services: HostServices): Promise<void> {
  rememberServices(app.server, services)
  app.removeAllContentTypeParsers()
  await app.register(helmet, SECURITY_HEADERS)
  // Another plugin may have registered it for the whole server.
  if (!app.hasPlugin('@fastify/cookie')) await app.register(fastifyCookie)
  await app.register(formBody, { bodyLimit: FORM_BYTES })
  app.addHook('onRequest', async (request, reply) => {
    // Under a foreign name, the portal would share the origin of that name's owner (DNS rebinding).
    const fault = services.hostFault(request)
    if (fault === 'ambiguous') return reply.code(400).send({ error: 'a request names its host once' })
    if (fault === 'foreign')
      return reply.code(421).send({
        error: 'this host name is not one of the service',
        hint: 'Use the address of BASE_URL, or have the name added to allowed_hosts in the config.',
      })
    reply.header('cache-control', 'no-store')
    return undefined
  })
  limitLargeForms(app, services)
  app.setErrorHandler((error, request, reply) => sendFailure({ services, request, reply }, error as FastifyError))
  serveAssets(app)
  serveProvider(app, services)
  serveLanguages(app, services)
  app.get('/', async (request, reply) => {
    const visit = await openVisit({ services, request, reply }, 'portal /')
    return reply.redirect(visit.session ? firstPage(visit) : signInPath('/'), 303)
  })
  const pages = services.all(portalPages)
  const paths = new Set(pages.map(({ path }) => path))
  for (const page of pages) {
    try {
      await servePage(app, services, page, paths)
    } catch (error) {
      const plugin = services.addedBy(page)
      throw new HostError(
        `plugin ${plugin}: its page ${page.path} cannot be served: ${(error as Error).message}; give it and its forms paths of their own`,
      )
    }
  }
  // For unknown paths: an error page for people, the host's response for programs.
  app.get('/*', async (request, reply) => {
    if (!services.wantsPage(request)) return reply.callNotFound()
    const visit = await openVisit({ services, request, reply }, 'portal *')
    const { errors } = partTexts(visit.language)
    return sendError(visit, 404, errors.notFound, errors.notFoundText)
  })
  app.post(signOutForm.path, (request, reply) => answerPost({ services, request, reply }, null, signOutForm))
}

async function servePage(
  app: FastifyInstance,
  services: HostServices,
  page: AnyPage,
  paths: ReadonlySet<string>,
): Promise<void> {
  app.get(page.path, (request, reply) => answerGet({ services, request, reply }, page))
  const guests = services.all(portalForms).filter(guest => guest.page === page.path)
  for (const declared of [...(page.forms ?? []), ...guests.map(guest => guest.form)] as readonly AnyForm[]) {
    const form = { ...declared, fields: { ...declared.fields, ...declared.more?.(services.all) } }
    const answer = (request: FastifyRequest, reply: FastifyReply) =>
      answerPost({ services, request, reply }, page, form)
    if (hasFileFields(form.fields)) await app.register(scope => serveUpload(scope, form.path, answer))
    else app.post(form.path, answer)
    // A rejected form is rendered at its own path, which users may reload or bookmark.
    if (!paths.has(form.path))
      app.get(form.path, (request, reply) =>
        reply.redirect(addressOf(page.path, request.params as Record<string, string>), 303),
      )
  }
}

/** In its own scope: other forms reject bodies with files before reading them. */
async function serveUpload(
  scope: FastifyInstance,
  path: string,
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): Promise<void> {
  // A file that is too large is reported at its field.
  await scope.register(multipart, { throwFileSizeLimit: false })
  scope.post(path, answer)
}

const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  frameguard: { action: 'deny' as const },
  // Applications open the consent page in a popup and wait for it.
  crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' as const },
  // Not no-referrer: browsers would then send `Origin: null` with the portal's own forms.
  referrerPolicy: { policy: 'same-origin' as const },
  // The host adds it to all responses.
  strictTransportSecurity: false as const,
}

async function answerGet(http: HttpContext, page: AnyPage): Promise<FastifyReply> {
  const visit = await openVisit(http, `portal ${page.path}`)
  if (!page.open && !isSignedIn(visit)) return visit.reply.redirect(signInPath(visit.request.url), 303)
  requireAdministrator(page, visit)
  return showPage(page, visit, 200)
}

/** @throws ToolError forbidden */
function requireAdministrator(page: AnyPage | null, { session }: Visit): void {
  if (page?.administrators && !session?.isAdministrator)
    throw new ToolError('forbidden', 'This page is for administrators.', {
      hint: 'The operator makes some: tasuki user admin <email>.',
    })
}

async function showPage(page: AnyPage, visit: Visit, status: number): Promise<FastifyReply> {
  const data: unknown = await page.load(visit)
  if (data instanceof Redirect) return visit.reply.redirect(data.to, 303)
  if (page.path.startsWith(PROJECT) && isSignedIn(visit)) await loadFeaturesOff(visit)
  const content = html`${page.view(visit, data)}${isSignedIn(visit) && linksOf(page, visit)}`
  const notice = consumeFlash(visit)
  const title = page.title(visit, data)
  const alone = page.alone ?? !visit.session
  const shown = { title, content, path: page.path, notice, alone, wide: page.wide === true }
  return sendHtml(visit, status, layout(visit, shown))
}

/** Links from other plugins on a page. */
function linksOf(page: AnyPage, visit: UserVisit): Html | null {
  const links = visit.services.all(pageLinks).flatMap(link => {
    if (link.page !== page.path) return []
    const view = (): Html | null => {
      const address = link.to(visit)
      return address === null ? null : html`<a href="${address}">${link.label(visit.language)}</a> `
    }
    return containPart(visit, link, view, null) ?? []
  })
  return links.length === 0 ? null : html`<p class="actions">${links}</p>`
}

/** @param page the page to show again if the form is rejected; null = the form is on every page */
async function answerPost(http: HttpContext, page: AnyPage | null, form: AnyForm): Promise<FastifyReply> {
  const { services, request, reply } = http
  const visit = await openVisit(http, `portal ${form.path}`)
  const address = request.url.split('?', 1)[0]!
  const holder = visit.session?.id ?? readCookie(http, 'visitor')
  const isProven = (values: Body): boolean =>
    isSameOrigin(request, services) &&
    holder !== undefined &&
    verifyCsrfToken(services, holder, address, valuesOf(values, PROOF)[0] ?? '')
  // Otherwise strangers could have the fields and files of many connections kept in memory.
  if (hasFileFields(form.fields) && !isSignedIn(visit)) return sendStale(visit, { page, form, body: {} })
  const { body, files } = await readPostedForm(services, request, form.fields, isProven)
  const refusedForm = (problems: RefusedForm['problems'], changed: Body = {}) => ({
    address,
    body: { ...body, ...changed },
    problems,
    labels: new Map(),
  })
  if (!isProven(body)) {
    if (!page?.open || !isSameOrigin(request, services)) return sendStale(visit, { page, form, body })
    // Another tab signed in or out: the page leads on, or is shown again.
    const problems = { '': partTexts(visit.language).errors.sendAgain }
    return showPage(page, { ...visit, refused: refusedForm(problems) }, 403)
  }
  if (!page?.open && !isSignedIn(visit)) return reply.redirect(signInPath('/'), 303)
  requireAdministrator(page, visit)
  try {
    const read = readFields(form.fields, { body, files }, partTexts(visit.language).problems)
    if ('problems' in read) throw new Refusal(read.problems)
    const outcome = await runOnce(reply, { holder, address, body, files }, async () => {
      const asked =
        page && isSignedIn(visit)
          ? await reauthenticate(visit, { form, body, back: addressOf(page.path, visit.params) })
          : null
      return asked ? { asked } : form.run(visit, read.input)
    })
    if (!('asked' in outcome)) return sendAnswer(visit, outcome)
    const { asked } = outcome
    return sendConfirmation({ ...(visit as UserVisit), refused: refusedForm(asked.problems) }, asked)
  } catch (error) {
    const refusal = toRefusal(visit, error, form)
    if (!refusal || !page) throw error
    return showPage(page, { ...visit, refused: refusedForm(refusal.problems, refusal.body) }, refusal.status)
  }
}

/** Converts errors that the user can fix in the form; null for others. */
function toRefusal({ language }: Visit, error: unknown, form: AnyForm): Refusal | null {
  if (error instanceof Refusal) return error
  if (!(error instanceof ToolError) || ['forbidden', 'internal', 'unavailable'].includes(error.code)) return null
  // A missing record named by a field is a problem of the form; one named by the URL is a missing page.
  if (error.code === 'not_found' && !Object.hasOwn(form.fields, error.help.field ?? '')) return null
  return toFormRefusal(language, error, form)
}

function sendAnswer(visit: Visit, answer: Answer): FastifyReply {
  if ('to' in answer) {
    if (answer.notice !== undefined) setFlash(visit, answer.notice)
    return visit.reply.redirect(answer.to, 303)
  }
  if ('view' in answer)
    return sendHtml(visit, 200, layout(visit, { title: answer.title, content: answer.view, path: null }))
  if ('file' in answer) {
    const { name, size, type, bytes } = answer.file
    visit.reply.header('content-disposition', `attachment; filename="${name}"`)
    if (size !== undefined) visit.reply.header('content-length', size)
    return visit.reply.type(type).send(bytes)
  }
  const { title, onward } = answer
  const content = html`<h1>${title}</h1>
    <p><a class="button" href="${onward}">${partTexts(visit.language).goOn}</a></p>`
  return sendHtml(visit, 200, layout(visit, { title, content, path: null, onward, alone: true }))
}

function sendConfirmation(visit: UserVisit, { title, status, problems, view }: Asked): FastifyReply {
  const shown = Object.keys(problems).length > 0 ? visit : { ...visit, refused: null }
  return sendHtml(shown, status, layout(shown, { title, content: view(shown), path: null, alone: true }))
}
