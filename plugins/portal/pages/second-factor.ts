import { notifyAccessMade, ToolError } from 'tasuki/plugin'
import { secondFactorAdded, secondFactorChanged, secondFactorRemoved } from '../audit.ts'
import { browserName } from '../auth/browser-name.ts'
import { newRecoveryCodes } from '../auth/codes.ts'
import { askForNewPasskey, canUsePasskeys, readNewPasskey, type Ceremony } from '../auth/passkeys.ts'
import {
  deleteAuthenticator,
  deletePasskeys,
  hasSecondFactor,
  insertPasskey,
  readFactors,
  renamePasskey,
} from '../auth/second-factor.repository.ts'
import type { Passkey } from '../auth/second-factor.repository.ts'
import { endSecondFactorIfEmpty } from '../auth/reset-second-factor.ts'
import { originOf } from '../auth/sessions.ts'
import { text } from '../fields.ts'
import { html, type Html } from '../html.ts'
import { defineForm, definePage, Refusal } from '../page.ts'
import { passkeyPart } from '../ui/passkey-part.ts'
import { formatInstant, tableOr } from '../ui/parts.ts'
import { codesAnswer } from '../ui/recovery-codes.ts'
import { idOf, type UserVisit } from '../visit.ts'
import { secondFactorTexts as texts } from './second-factor-texts.ts'

export const SECOND_FACTOR = '/settings/second-factor'

const addForm = defineForm({
  path: `${SECOND_FACTOR}/passkeys`,
  fields: { passkey: text({ max: 20_000 }), challenge: text({ max: 1000 }), name: text({ max: 60, optional: true }) },
  confirm: 'recent',
  async run(visit, { passkey: response, challenge, name: entered }) {
    const { session, request, language, write } = visit
    const t = texts(language)
    const registered = await readNewPasskey(visit, { response, challenge })
    if (!registered) throw new Refusal({ '': t.noPasskey })
    const name = entered === '' ? browserName(request.headers['user-agent'] ?? '') : entered
    const codes = await write(async ctx => {
      const isFirst = !hasSecondFactor(await readFactors(ctx, session.userId))
      if (!(await insertPasskey(ctx, session.userId, { ...registered, name }))) throw new Refusal({ '': t.known })
      ctx.audit({ action: secondFactorAdded, target: { kind: 'passkey', id: registered.id, name } })
      await notifyAccessMade(ctx, { kind: 'passkey', userId: session.userId, name, ...originOf(request) })
      return isFirst ? newRecoveryCodes(ctx, session.userId) : null
    })
    return codes ? codesAnswer(visit, codes, SECOND_FACTOR) : { to: SECOND_FACTOR, notice: t.added }
  },
})

const renameForm = defineForm({
  path: `${SECOND_FACTOR}/passkeys/:id/rename`,
  fields: { name: text({ max: 60 }) },
  async run({ params, session, language, write }, { name }) {
    const id = idOf(params)
    await write(async ctx => {
      if (!(await renamePasskey(ctx, session.userId, id, name))) throw notFound()
      ctx.audit({ action: secondFactorChanged, target: { kind: 'passkey', id, name }, details: { renamed: true } })
    })
    return { to: SECOND_FACTOR, notice: texts(language).renamed }
  },
})

const removeForm = defineForm({
  path: `${SECOND_FACTOR}/passkeys/:id/remove`,
  fields: {},
  confirm: 'always',
  async run({ params, session, request, language, write }) {
    const id = idOf(params)
    await write(async ctx => {
      const [name] = await deletePasskeys(ctx, session.userId, id)
      if (name === undefined) throw notFound()
      await endSecondFactorIfEmpty(ctx, session.userId)
      ctx.audit({ action: secondFactorRemoved, target: { kind: 'passkey', id, name } })
      await notifyAccessMade(ctx, { kind: 'less_proof', userId: session.userId, name, ...originOf(request) })
    })
    return { to: SECOND_FACTOR, notice: texts(language).removed }
  },
})

const removeAppForm = defineForm({
  path: `${SECOND_FACTOR}/app/remove`,
  fields: {},
  confirm: 'always',
  async run({ session, request, language, write }) {
    await write(async ctx => {
      if (!(await deleteAuthenticator(ctx, session.userId))) throw notFound()
      await endSecondFactorIfEmpty(ctx, session.userId)
      ctx.audit({ action: secondFactorRemoved, target: { kind: 'authenticator', id: session.userId } })
      await notifyAccessMade(ctx, { kind: 'less_proof', userId: session.userId, name: null, ...originOf(request) })
    })
    return { to: SECOND_FACTOR, notice: texts(language).appRemoved }
  },
})

const codesForm = defineForm({
  path: `${SECOND_FACTOR}/recovery-codes`,
  fields: {},
  confirm: 'always',
  async run(visit) {
    const { session, request, write } = visit
    const codes = await write(async ctx => {
      if (!hasSecondFactor(await readFactors(ctx, session.userId))) throw notFound()
      ctx.audit({ action: secondFactorChanged, details: { recovery_codes: true } })
      await notifyAccessMade(ctx, { kind: 'recovery_codes', userId: session.userId, name: null, ...originOf(request) })
      return newRecoveryCodes(ctx, session.userId)
    })
    return codesAnswer(visit, codes, SECOND_FACTOR)
  },
})

const notFound = (): ToolError => new ToolError('not_found', 'There is no such thing any more.')

/** Settings → Second factor: authenticator app, passkeys and recovery codes. */
export const secondFactorPage = definePage({
  path: SECOND_FACTOR,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 35 },
  forms: [addForm, renameForm, removeForm, removeAppForm, codesForm],
  async load(visit) {
    // On the primary, to show changes made a moment ago.
    const factors = await visit.asSystem(ctx => readFactors(ctx, visit.session.userId))
    return { ...factors, ceremony: canUsePasskeys(visit) ? await askForNewPasskey(visit, factors.passkeys) : null }
  },
  view(visit, { appSince, passkeys, codes, ceremony }) {
    const t = texts(visit.language)
    const isOn = hasSecondFactor({ appSince, passkeys, codes })
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      <p><span class="tag ${isOn ? 'good' : ''}">${isOn ? t.on : t.off}</span></p>
      <h2>${t.app}</h2>
      <p>${appSince === null ? t.appText : html`${t.appOn} ${formatInstant(visit, appSince)}.`}</p>
      <p class="actions">
        <a class="button plain" href="${SECOND_FACTOR}/app">${appSince === null ? t.setUpApp : t.replaceApp}</a>
      </p>
      ${appSince !== null && removeAppForm.button(visit, t.removeApp, { kind: 'danger', inline: false })}
      <h2>${t.passkeys}</h2>
      <p>${t.passkeysText}</p>
      ${passkeyTable(visit, passkeys)} ${ceremony ? addView(visit, ceremony) : html`<p class="quiet">${t.noName}</p>`}
      ${
        isOn &&
        html`<h2>${t.codes}</h2>
          <p>${t.codesText(codes)}</p>
          ${codesForm.button(visit, t.newCodes, { kind: 'plain', inline: false })}`
      }`
  },
})

function addView(visit: UserVisit, ceremony: Ceremony): Html {
  const t = texts(visit.language)
  return addForm.view(
    visit,
    form =>
      html`${form.input('name', { label: t.name, hint: t.nameHint, optional: true })}
      ${passkeyPart(visit, form, { ceremony, label: t.add, names: ['passkey', 'challenge'], kind: 'primary' })}`,
  )
}

function passkeyTable(visit: UserVisit, passkeys: readonly Passkey[]): Html {
  const t = texts(visit.language)
  return tableOr(t.none, t.passkeys, passkeys, [
    { title: t.name, cell: row => row.name },
    { title: t.since, cell: row => formatInstant(visit, row.createdAt) },
    { title: t.used, cell: row => formatInstant(visit, row.usedAt) },
    {
      title: t.action,
      cell: row =>
        html`<details>
            <summary>${t.rename}<span class="unseen"> ${row.name}</span></summary>
            ${renameForm.view(
              visit,
              form =>
                html`${form.input('name', { label: t.name, value: row.name })}
                  <p class="actions">${form.submit(t.save, { kind: 'plain', about: row.name })}</p>`,
              { params: { id: row.id } },
            )}
          </details>
          ${removeForm.button(visit, t.remove, { params: { id: row.id }, kind: 'danger', about: row.name })}`,
    },
  ])
}
