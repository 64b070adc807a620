import { personConfirmed } from '../audit.ts'
import { readFields, secret, valuesOf, type Body, type Fields } from '../fields.ts'
import { html, type Html } from '../html.ts'
import { defineTexts } from '../language.ts'
import type { Form } from '../page.ts'
import { settings } from '../settings.ts'
import { formView } from '../ui/form.ts'
import { partTexts } from '../ui/texts.ts'
import type { UserVisit } from '../visit.ts'
import { readPasswordHash } from './account.repository.ts'
import { attemptTexts } from './attempt-texts.ts'
import { checkPassword } from './check-password.ts'
import { readIdentities } from './identity.repository.ts'
import { providerName } from './provider-name.ts'
import { confirmPath } from './provider-path.ts'
import { confirmSession } from './session.repository.ts'

const texts = defineTexts(
  {
    title: 'Confirm that it is you',
    lead: 'Enter your password to go on. Nothing has been done yet.',
    password: 'Password',
    wrong: 'This is not your password.',
    submit: 'Go on',
    back: 'Cancel',
    byProvider: (provider: string) =>
      `You have no password. Sign in with ${provider} again, and then do this once more. Nothing has been done yet.`,
    with: (provider: string) => `Sign in with ${provider}`,
    noWay: 'You have no password. Have one made by a set-up link of the operator first:',
  },
  {
    ja: {
      title: '本人確認',
      lead: '続けるにはパスワードを入力してください。操作はまだ行われていません。',
      password: 'パスワード',
      wrong: 'パスワードが違います。',
      submit: '続ける',
      back: 'キャンセル',
      byProvider: provider =>
        `パスワードは未設定です。${provider}でもう一度サインインしてから、同じ操作を行ってください。操作はまだ行われていません。`,
      with: provider => `${provider}でサインイン`,
      noWay: 'パスワードは未設定です。先に運用者のセットアップリンクで設定してください:',
    },
  },
)

const FIELD = 'confirm_password'
const VALID_MS = 10 * 60_000
// oxlint-disable-next-line typescript/no-explicit-any -- a form's fields and visit are checked where it is defined
type AnyForm = Form<any, any>

export interface Asked {
  readonly title: string
  readonly status: number
  readonly problems: Readonly<Record<string, string>>
  /** @param visit with the problems, where there are any */
  view(visit: UserVisit): Html
}

/**
 * Asks whoever is signed in to prove who they are, where a form wants that.
 * @param back path of the page that the form stands in
 * @returns what to show instead of running the form, which holds everything that was posted; null = go on
 */
export async function confirmPerson(
  visit: UserVisit,
  { form, body, back }: { readonly form: AnyForm; readonly body: Body; readonly back: string },
): Promise<Asked | null> {
  const { session, now, services, language } = visit
  const isRecent = session.confirmedAt !== null && now.getTime() - session.confirmedAt < VALID_MS
  if (form.confirm === undefined || (form.confirm === 'recent' && isRecent)) return null
  const t = texts(language)
  const { hasPassword, hasIdentity } = await visit.asSystem(async ctx => ({
    hasPassword: (await readPasswordHash(ctx, session.userId)) !== null,
    hasIdentity: (await readIdentities(ctx, session.userId)).length > 0,
  }))
  if (!hasPassword) {
    if (isRecent) return null
    const provider = hasIdentity ? providerName(language, services.config(settings).openid) : null
    return { title: t.title, status: 200, problems: {}, view: () => withoutPassword(language, provider, back) }
  }
  const isAnswered = valuesOf(body, FIELD).length > 0
  const fault = isAnswered ? await faultOf(visit, body) : null
  if (isAnswered && !fault) {
    await visit.asSystem(ctx => confirmSession(ctx, session))
    return null
  }
  const { status, problem } = fault ?? { status: 200, problem: null }
  const problems = problem === null ? {} : { [FIELD]: problem }
  return { title: t.title, status, problems, view: shown => passwordView(shown, form, body, back) }
}

async function faultOf(visit: UserVisit, body: Body): Promise<{ problem: string; status: number } | null> {
  const t = texts(visit.language)
  const read = readFields({ [FIELD]: secret() }, body, partTexts(visit.language).problems)
  if ('problems' in read) return { problem: read.problems[FIELD]!, status: 422 }
  const checked = await checkPassword(visit, read.input[FIELD], personConfirmed)
  if (checked.wait !== null) return { problem: attemptTexts(visit.language).wait(checked.wait), status: 429 }
  return checked.isRight ? null : { problem: t.wrong, status: 422 }
}

function passwordView(visit: UserVisit, form: AnyForm, body: Body, back: string): Html {
  const t = texts(visit.language)
  const fields = { ...form.fields, [FIELD]: secret() } as Fields
  const kept = Object.keys(form.fields as Fields).flatMap(name =>
    valuesOf(body, name).map(value => [name, value] as const),
  )
  return html`<h1>${t.title}</h1>
    <p class="lead">${t.lead}</p>
    ${formView(
      visit,
      { path: form.path, fields },
      visit.params,
      controls =>
        html`${kept.map(([name, value]) => controls.hidden(name, value))}
          ${controls.input(FIELD, { label: t.password, type: 'password', autocomplete: 'current-password' })}
          <p class="actions">${controls.submit(t.submit)} <a href="${back}">${t.back}</a></p>`,
    )}`
}

function withoutPassword(language: UserVisit['language'], provider: string | null, back: string): Html {
  const t = texts(language)
  return html`<h1>${t.title}</h1>
    ${
      provider === null
        ? html`<p class="lead">${t.noWay} <code>tasuki portal setup-link</code></p>`
        : html`<p class="lead">${t.byProvider(provider)}</p>
            <p><a class="button" href="${confirmPath(back)}">${t.with(provider)}</a></p>`
    }
    <p><a href="${back}">${t.back}</a></p>`
}
