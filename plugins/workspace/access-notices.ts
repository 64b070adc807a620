import { accessMade, administratorNotices, clip, quoteName, type NewAccess } from 'tasuki/plugin'
import { notify } from './notification.repository.ts'

/** Texts about new access to an account. Text from strangers appears only in `data` or in quotation marks. */
const TEXTS = {
  device: { title: 'Signed in from a browser that is new to this account', end: 'Settings, Security' },
  token: { title: 'A personal access token was issued for this account', end: 'Settings, Integrations' },
  app: { title: 'An app was connected to this account', end: 'Settings, Integrations' },
  passkey: { title: 'A passkey was added to this account', end: 'Settings, Second factor' },
  authenticator: { title: 'An authenticator app was set up for this account', end: 'Settings, Second factor' },
  recovery_codes: { title: 'New recovery codes were made for this account', end: 'Settings, Second factor' },
  less_proof: { title: 'A second factor was removed from this account', end: 'Settings, Second factor' },
  email: { title: 'The e-mail address of this account was changed', end: 'Settings, Account' },
} as const satisfies Readonly<Record<NewAccess['kind'], unknown>>

/** Kinds that cannot be revoked, only corrected. */
const CHANGES: ReadonlySet<NewAccess['kind']> = new Set(['recovery_codes', 'less_proof', 'email'])

/** Facts of a notice for programs and translations; unknown facts are left out. */
export interface AccessFacts {
  /** `YYYY-MM-DD HH:MM UTC`. */
  readonly at: string
  readonly name?: string
  readonly address?: string
  readonly browser?: string
}

/** Removes line breaks and hidden characters: assistants read the text, and people compare it with what they know. */
const toPlainText = (text: string): string =>
  clip(text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ').trim(), 60)

/** Notifies users of new access to their accounts. */
export const notifyAccess = accessMade(async (ctx, { kind, userId, name, address, browser }) => {
  const { title, end } = TEXTS[kind]
  const facts: AccessFacts = {
    at: `${ctx.now.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    ...(name !== null && { name: toPlainText(name) }),
    ...(address !== null && { address: toPlainText(address) }),
    ...(browser !== null && { browser: toPlainText(browser) }),
  }
  const from = facts.address === undefined ? 'by a command of the operator' : `from ${facts.address}`
  const parts = [
    ...(facts.name === undefined ? [] : [`${kind === 'email' ? 'New address' : 'Name'}: ${quoteName(facts.name)}`]),
    `When: ${facts.at}, ${from}`,
    ...(facts.browser === undefined ? [] : [`Browser: ${quoteName(facts.browser)}`]),
    `If this was not you, ${CHANGES.has(kind) ? 'put it right' : 'end it'} in the portal under ${end}`,
  ]
  await notify(ctx, [{ userId, kind: `access.${kind}`, title, body: `${parts.join('. ')}.`, data: { ...facts } }])
})

/** Notifies administrators of problems that they have to fix. */
export const notifyAdministrators = administratorNotices((ctx, userIds, notice) => {
  const notices = userIds.map(userId => ({ ...notice, userId }))
  return notify(ctx, notices)
})
