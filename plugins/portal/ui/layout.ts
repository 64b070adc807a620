import { signOutForm } from '../auth/sign-out.ts'
import { assetPath } from '../assets.ts'
import { attributes, html, type Child, type Html } from '../html.ts'
import type { MenuEntry } from '../page.ts'
import { containPart } from '../contain-part.ts'
import { portalPages } from '../points.ts'
import { isFeatureOff } from '../features-off.ts'
import { valuesOf } from '../fields.ts'
import { isLanguage, type Language } from '../language.ts'
import type { Look, Visit } from '../visit.ts'
import { addressNotice } from './address-notice.ts'
import { addressOf, problemSummary } from './form.ts'
import { languageMenu } from './languages.ts'
import { addressWith } from './pager.ts'
import { partTexts } from './texts.ts'

export interface Layout {
  readonly title: string
  readonly content: Child
  /** Path pattern of the page, to highlight its menu entry. */
  readonly path: string | null
  readonly notice?: string | null
  /** A narrow, centred layout, which pages for anonymous visitors always have. */
  readonly alone?: boolean | undefined
  readonly wide?: boolean
  /** The URL to which the browser redirects by itself. */
  readonly onward?: string
}

/** Renders the whole document around the content of a page. */
export function layout(
  visit: Visit,
  { title, content, path, notice, alone = visit.session === null, wide = false, onward }: Layout,
): Html {
  const texts = partTexts(visit.language)
  const entries = visit.session ? menuOf(visit) : []
  const place = entries.find(
    ({ path: of, place }) => of === path || (place === 'settings' && path?.startsWith(`${of}/`)),
  )?.place
  const side = (place === 'settings' || place === 'project settings') && sideMenu(visit, entries, path, place)
  const summary = problemSummary(visit)
  return documentOf(visit, {
    title: `${summary ? texts.errorPrefix : ''}${title}`,
    ...(onward !== undefined && { onward }),
    body: html`${header(visit, entries, path, { isSettings: place === 'settings', alone })}
      ${path?.startsWith(PROJECT) && projectMenu(visit, entries, path)}
      <div class="frame${side ? ' with-side' : alone ? ' narrow' : wide ? ' wide' : ''}">
        ${side}
        <main id="content" tabindex="-1">
          ${notice && html`<p class="notice" role="status">${notice}</p>`}${summary}
          ${!alone && addressNotice(visit, path)} ${content}
        </main>
      </div>`,
  })
}

/** Renders a page outside the portal, without a signed-in user and without forms. @param here path of the page */
export function barePage(look: Look, { title, content, here }: { title: string; content: Child; here: string }): Html {
  return documentOf(look, {
    title,
    body: html`<header class="bar">${brand(look.language)} ${languageMenu(look.language, here)}</header>
      <div class="frame narrow"><main id="content" tabindex="-1">${content}</main></div>`,
  })
}

function documentOf(
  { language, theme }: Look,
  { title, body, onward }: { title: string; body: Html; onward?: string },
): Html {
  const texts = partTexts(language)
  return html`<!doctype html>
    <html lang="${language}" ${attributes({ 'data-theme': theme })}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${theme ?? 'light dark'}" />
        <meta name="robots" content="noindex" />
        ${onward !== undefined && html`<meta http-equiv="refresh" content="0;url=${onward}" />`}
        <title>${title} – ${texts.product}</title>
        <link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}" />
        <link rel="stylesheet" href="${assetPath('portal.css')}" />
      </head>
      <body>
        <a class="skip" href="#content">${texts.skip}</a>
        ${body}
      </body>
    </html> `
}

type Entry = MenuEntry & { readonly path: string; readonly label: string }

function menuOf(visit: Visit): readonly Entry[] {
  const { services, session, language } = visit
  return services
    .all(portalPages)
    .filter(({ administrators }) => !administrators || session?.isAdministrator)
    .flatMap(page => {
      const { menu, path } = page
      const label = menu && containPart(visit, page, () => page.name?.(language), undefined)
      return menu && label ? [{ ...menu, path, label }] : []
    })
    .sort((a, b) => a.rank - b.rank)
}

/** Returns the page to which `/` redirects. */
export function firstPage(visit: Visit): string {
  const entries = menuOf(visit)
  return (entries.find(({ place }) => place === 'main') ?? entries[0])!.path
}

function brand(language: Language): Html {
  return html`<a class="brand" href="/"
    ><svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8"></rect>
      <path d="M7 24 25 8"></path></svg
    >${partTexts(language).product}</a
  >`
}

function header(
  visit: Visit,
  entries: readonly Entry[],
  path: string | null,
  { isSettings, alone }: { readonly isSettings: boolean; readonly alone: boolean },
): Html {
  const texts = partTexts(visit.language)
  const languages = alone && !isLanguage(visit.session?.language) && languageMenu(visit.language, currentPath(visit))
  if (!visit.session) return html`<header class="bar">${brand(visit.language)} ${languages}</header>`
  const main = entries.filter(entry => entry.place === 'main')
  const settings = entries.find(({ place }) => place === 'settings')
  const links = [
    ...main.map(entry => link(entry.path, entry.label, ariaCurrent(entry.path, path))),
    settings && link(settings.path, texts.settings, isSettings ? 'true' : null),
  ].filter(item => item !== undefined)
  return html`<header class="bar">
    ${brand(visit.language)}
    <nav aria-label="${texts.mainMenu}">
      <ul>
        ${links}
      </ul>
    </nav>
    ${languages}
    <div class="who">
      <span>${visit.session.name}</span>${signOutForm.button(visit, texts.signOut, { kind: 'plain' })}
    </div>
  </header>`
}

/** Returns the path of the current page, to return to; for a rejected form, the page with its target. */
function currentPath({ request, refused }: Visit): string {
  const [returnTo] = refused ? valuesOf(refused.body, 'return_to') : []
  return refused ? addressWith(refused.address, { return_to: returnTo }) : request.url
}

/** The prefix of paths of a project's pages. */
export const PROJECT = '/projects/:key/'

function sideMenu(visit: Visit, entries: readonly Entry[], path: string | null, place: Entry['place']): Html {
  const texts = partTexts(visit.language)
  const items = entries
    .filter(entry => entry.place === place && !(entry.feature && isFeatureOff(visit.request, entry.feature)))
    .map(entry => entryLink(visit, entry, path))
  return html`<nav class="side" aria-label="${place === 'settings' ? texts.settings : texts.projectSettings}">
    <ul>
      ${items}
    </ul>
  </nav> `
}

function projectMenu(visit: Visit, entries: readonly Entry[], path: string): Html {
  const texts = partTexts(visit.language)
  const settings = entries.filter(({ place }) => place === 'project settings')
  const here = settings.some(entry => entry.path === path) ? 'true' : null
  const items = [
    ...entries
      .filter(({ place, feature }) => place === 'project' && !(feature && isFeatureOff(visit.request, feature)))
      .map(entry => entryLink(visit, entry, path)),
    settings[0] && link(addressOf(settings[0].path, visit.params), texts.projectSettings, here),
  ].filter(item => item !== undefined)
  return html`<nav class="project" aria-label="${texts.projectMenu}">
    <p><code>${visit.params['key']}</code></p>
    <ul>
      ${items}
    </ul>
  </nav>`
}

function entryLink(visit: Visit, { path, label }: Entry, current: string | null): Html {
  return link(addressOf(path, visit.params), label, ariaCurrent(path, current))
}

/** Returns the value of `aria-current`: for the page itself, or one below it. */
function ariaCurrent(path: string, current: string | null): 'page' | 'true' | null {
  if (path === current) return 'page'
  return current?.startsWith(`${path}/`) ? 'true' : null
}

function link(href: string, text: string, current: 'page' | 'true' | null): Html {
  return html`<li><a ${attributes({ href, 'aria-current': current })}>${text}</a></li>`
}
