import { ToolError, type Confirmation } from 'tasuki/plugin'
import { singleChoice } from '../fields.ts'
import { html, type Html } from '../html.ts'
import { defineTexts, quoteIn } from '../language.ts'
import { defineForm, definePage } from '../page.ts'
import { addressOf } from '../ui/form.ts'
import { descriptionList, formatInstant } from '../ui/parts.ts'
import type { UserVisit } from '../visit.ts'

const texts = defineTexts({
  titles: {
    en: { open: 'Confirm this action?', agreed: 'Confirmed', declined: 'Declined', over: 'This request has ended' },
    ja: {
      open: 'この操作を承認しますか？',
      agreed: '承認しました',
      declined: '拒否しました',
      over: 'このリクエストは終了しました',
    },
  },
  outcomes: {
    en: {
      agreed: 'The app continues. You can close this page.',
      declined: 'Nothing was changed. You can close this page.',
      over: 'It has expired, or the app has cancelled it. Nothing was changed. If you still want it, ask for it again in the app.',
    },
    ja: {
      agreed: 'アプリが処理を続けます。このページを閉じてかまいません。',
      declined: '何も変更されていません。このページを閉じてかまいません。',
      over: '期限が切れたか、アプリが取り消しました。何も変更されていません。必要な場合は、アプリでもう一度依頼してください。',
    },
  },
  asks: { en: 'asks to do this in your account:', ja: 'が、あなたのアカウントで次の操作を求めています:' },
  nameless: { en: 'An app without a name', ja: '名前のないアプリ' },
  credential: { en: 'Connected by', ja: '接続' },
  tool: { en: 'Tool', ja: 'ツール' },
  account: { en: 'Your account', ja: 'あなたのアカウント' },
  unexpected: {
    en: 'If you did not expect this, decline. Nothing is changed unless you confirm.',
    ja: '心当たりがない場合は拒否してください。承認しない限り、何も変更されません。',
  },
  confirm: { en: 'Confirm', ja: '承認する' },
  decline: { en: 'Decline', ja: '拒否する' },
})

const PATH = '/confirm/:id'

/** Returns the path of a confirmation's page. */
export const confirmationPath = (id: string): string => addressOf(PATH, { id })

const decisionForm = defineForm({
  path: PATH,
  fields: { decision: singleChoice(['confirm', 'decline']) },
  async run({ services, params, write }, { decision }) {
    const id = params['id']!
    await write(ctx => services.confirmations.decide(ctx, id, decision === 'confirm'))
    return { to: confirmationPath(id) }
  },
})

/** Asks a user whether a call of one of their apps may run. */
export const confirmationPage = definePage({
  path: PATH,
  alone: true,
  forms: [decisionForm],
  async load({ services, params, write }) {
    // On the primary, to show a decision made a moment ago.
    const found = await write(ctx => services.confirmations.find(ctx, params['id']!))
    if (!found) throw new ToolError('not_found', 'There is no such confirmation.')
    return found
  },
  title: ({ language }, { status }) => texts(language).titles[status],
  view(visit, confirmation) {
    const t = texts(visit.language)
    const { status } = confirmation
    if (status === 'open') return question(visit, confirmation)
    return html`<h1>${t.titles[status]}</h1>
      ${effectOf(confirmation)}
      <p>${t.outcomes[status]}</p>`
  },
})

function question(visit: UserVisit, confirmation: Confirmation): Html {
  const t = texts(visit.language)
  const { client, credential, tool, expiresAt } = confirmation
  const asker = client ?? credential
  return html`<h1>${t.titles.open}</h1>
    <p class="lead"><strong>${asker === null ? t.nameless : quoteIn(visit.language, asker)}</strong> ${t.asks}</p>
    ${effectOf(confirmation)}
    ${descriptionList([
      [t.credential, credential],
      [t.tool, html`<code>${tool}</code>`],
      [t.account, visit.session.email],
      [t.expires, formatInstant(visit, expiresAt)],
    ])}
    ${decisionForm.view(
      visit,
      form =>
        html`<p class="actions">
          ${form.submit(t.confirm, { name: 'decision', value: 'confirm' })}
          ${form.submit(t.decline, { kind: 'plain', name: 'decision', value: 'decline' })}
        </p>`,
    )}
    <p class="quiet">${t.unexpected}</p>`
}

/** Renders the same text that the client gets, in English in every language of the page. */
function effectOf({ effect }: Confirmation): Html {
  return html`<blockquote class="effect" lang="en">${effect}</blockquote>`
}
