import type { FastifyInstance } from 'fastify'
import type { HostServices } from 'tasuki/plugin'
import { setCookie } from '../auth/cookies.ts'
import { safePath } from '../auth/csrf.ts'
import { html, type Html } from '../html.ts'
import { isLanguage, LANGUAGES, type Language } from '../language.ts'
import { addressWith } from './pager.ts'
import { partTexts } from './texts.ts'

const PATH = '/language'
const YEAR = 365 * 24 * 3600

/** Renders links that choose a language for this browser, for users without a language setting. @param here path to return to */
export function languageMenu(language: Language, here: string): Html {
  const items = Object.entries(LANGUAGES).map(([tag, name]) =>
    tag === language
      ? html`<li><span lang="${tag}" aria-current="true">${name}</span></li>`
      : html`<li>
          <a href="${addressWith(`${PATH}/${tag}`, { return_to: here })}" lang="${tag}" hreflang="${tag}">${name}</a>
        </li>`,
  )
  return html`<nav class="languages" aria-label="${partTexts(language).languages}">
    <ul>
      ${items}
    </ul>
  </nav>`
}

/** Serves the language links: stores the language and redirects back. */
export function serveLanguages(app: FastifyInstance, services: HostServices): void {
  app.get<{ Params: { tag: string }; Querystring: { return_to?: unknown } }>(`${PATH}/:tag`, async (request, reply) => {
    const { tag } = request.params
    const { return_to: returnTo } = request.query
    // Other sites must not change the language.
    const site = request.headers['sec-fetch-site'] ?? 'none'
    if (isLanguage(tag) && ['same-origin', 'none'].includes(site)) setCookie({ services, reply }, 'language', tag, YEAR)
    return reply.redirect(safePath(services, returnTo), 303)
  })
}
