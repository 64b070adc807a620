import { signOutForm } from '../auth/sign-out.ts'
import { assetPath } from '../assets.ts'
import { attributes, html, type Child, type Html } from '../html.ts'
import type { MenuEntry } from '../page.ts'
import { portalPages } from '../points.ts'
import type { Visit } from '../visit.ts'
import { formView, problemSummary } from './form.ts'
import { partTexts } from './texts.ts'

export interface Layout {
  readonly title: string
  readonly content: Child
  /** Path pattern of the page, by which its menu entry is marked. */
  readonly path: string | null
  readonly notice?: string | null
  /** Narrow, in the middle; so is everything for people who are not signed in. */
  readonly alone?: boolean | undefined
  /** Where the browser moves on to by itself. */
  readonly onward?: string
}

/** The whole document around the content of a page. */
export function layout(
  visit: Visit,
  { title, content, path, notice, alone = visit.session === null, onward }: Layout,
): string {
  const texts = partTexts(visit.language)
  const entries = visit.session ? menuOf(visit) : []
  const isSettings = entries.some(entry => entry.place === 'settings' && entry.path === path)
  const side = isSettings && sideMenu(visit, entries, path)
  const summary = problemSummary(visit)
  const page = html`<!doctype html>
    <html lang="${visit.language}" ${attributes({ 'data-theme': visit.theme })}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${visit.theme ?? 'light dark'}" />
        <meta name="robots" content="noindex" />
        ${onward !== undefined && html`<meta http-equiv="refresh" content="0;url=${onward}" />`}
        <title>${summary && texts.errorPrefix}${title} – ${texts.product}</title>
        <link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}" />
        <link rel="stylesheet" href="${assetPath('portal.css')}" />
      </head>
      <body>
        <a class="skip" href="#content">${texts.skip}</a>
        ${header(visit, entries, path, isSettings)}
        <div class="frame${side ? ' with-side' : alone ? ' narrow' : ''}">
          ${side}
          <main id="content" tabindex="-1">
            ${notice && html`<p class="notice" role="status">${notice}</p>`}${summary} ${content}
          </main>
        </div>
      </body>
    </html> `
  return page.text
}

type Entry = MenuEntry & { readonly path: string }

function menuOf({ services }: Visit): readonly Entry[] {
  return services
    .all(portalPages)
    .flatMap(({ menu, path }) => (menu ? [{ ...menu, path }] : []))
    .sort((a, b) => a.rank - b.rank)
}

/** The page that `/` leads to. */
export function firstPage(visit: Visit): string {
  const entries = menuOf(visit)
  return (entries.find(({ place }) => place === 'main') ?? entries[0])!.path
}

function header(visit: Visit, entries: readonly Entry[], path: string | null, isSettings: boolean): Html {
  const texts = partTexts(visit.language)
  const brand = html`<a class="brand" href="/"
    ><svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8"></rect>
      <path d="M7 24 25 8"></path></svg
    >${texts.product}</a
  >`
  if (!visit.session) return html`<header class="bar">${brand}</header>`
  const main = entries.filter(({ place }) => place === 'main')
  const settings = entries.find(({ place }) => place === 'settings')
  const links = [
    ...main.map(entry => link(entry.path, entry.label(visit.language), entry.path === path)),
    settings && link(settings.path, texts.settings, isSettings),
  ].filter(item => item !== undefined)
  return html`<header class="bar">
    ${brand}
    <nav aria-label="${texts.mainMenu}">
      <ul>
        ${links}
      </ul>
    </nav>
    <div class="who">
      <span>${visit.session.name}</span
      >${formView(visit, signOutForm, {}, form => form.submit(texts.signOut, { kind: 'plain' }), { inline: true })}
    </div>
  </header>`
}

function sideMenu(visit: Visit, entries: readonly Entry[], path: string | null): Html {
  const items = entries
    .filter(({ place }) => place === 'settings')
    .map(entry => link(entry.path, entry.label(visit.language), entry.path === path))
  return html`<nav class="side" aria-label="${partTexts(visit.language).settingsMenu}">
    <ul>
      ${items}
    </ul>
  </nav> `
}

function link(href: string, text: string, isHere: boolean): Html {
  return html`<li><a ${attributes({ href, 'aria-current': isHere ? 'page' : null })}>${text}</a></li>`
}
