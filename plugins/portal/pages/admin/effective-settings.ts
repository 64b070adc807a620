import { html } from '../../html.ts'
import { table } from '../../ui/parts.ts'
import { defineAdministrationPage } from './page.ts'
import { adminTexts as texts } from './texts.ts'

/** Administration → Effective settings: each value with its source. */
export const effectiveSettingsPage = defineAdministrationPage({
  path: '/settings/effective',
  name: 'settings',
  rank: 86,
  load: async ({ services }) => services.administration.settings,
  view({ language }, settings) {
    const t = texts(language)
    return html`<h1>${t.settings}</h1>
      <p class="lead">${t.settingsLead}</p>
      ${table(t.settings, settings, [
        { title: t.setting, cell: row => html`<code>${row.name}</code>` },
        {
          title: t.value,
          cell: row =>
            row.value === null ? html`<span class="quiet">${t.hidden}</span>` : html`<code>${row.value}</code>`,
        },
        { title: t.source, cell: row => t.sources[row.source] },
      ])}`
  },
})
