import { signInRefused } from '../audit.ts'
import { countAttempt, forgetAttempts } from '../auth/attempts.ts'
import { checkSecond, secondFields } from '../auth/check-second.ts'
import { safePath } from '../auth/csrf.ts'
import { askForPasskey, canUsePasskeys } from '../auth/passkeys.ts'
import { refuseAttempt } from '../auth/refuse-attempt.ts'
import { readFactors } from '../auth/second-factor.repository.ts'
import { clearFirstStep, currentStamp, readFirstStep, SECOND_STEP } from '../auth/second-step.ts'
import { confirmSession } from '../auth/session.repository.ts'
import { beginSession } from '../auth/sessions.ts'
import { text, valuesOf } from '../fields.ts'
import { html } from '../html.ts'
import { defineTexts } from '../language.ts'
import { defineOpenForm, defineOpenPage, Redirect, Refusal } from '../page.ts'
import { signInPath } from '../sign-in-path.ts'
import { passkeyPart } from '../ui/passkey-part.ts'
import { codeTexts } from '../ui/code-texts.ts'

const texts = defineTexts({
  title: { en: 'Second step', ja: '2段階目の確認' },
  lead: {
    en: 'The first step was right. Prove the second one to sign in.',
    ja: '1段階目は確認できました。続けて2段階目を確認してください。',
  },
  expired: {
    en: 'This sign-in took too long, or the account has changed since. Begin again.',
    ja: '時間切れか、アカウントが変更されたため、最初からやり直してください。',
  },
  again: { en: 'Begin again', ja: '最初からやり直す' },
  lost: {
    en: 'Everything lost? Ask the administrator to run',
    ja: 'すべて失くした場合は、サーバーの管理者が次のコマンドで解除できます:',
  },
  left: {
    en: (n: number) =>
      n === 0
        ? 'That was your last recovery code. Make new ones under Settings, Second factor.'
        : `Signed in by a recovery code. ${n} are left.`,
    ja: n =>
      n === 0
        ? '最後のリカバリーコードを使いました。設定の「2段階認証」で新しいコードを発行してください。'
        : `リカバリーコードでサインインしました。残りは${n}件です。`,
  },
})

const stepForm = defineOpenForm({
  path: SECOND_STEP,
  fields: { ...secondFields, return_to: text({ max: 4000, optional: true }) },
  async run(visit, input) {
    const { services, request, language, session } = visit
    const t = texts(language)
    const first = readFirstStep(visit)
    // The page's own: the first step may be that of a later tab.
    const to = input.return_to === '' ? (first?.returnTo ?? '/') : safePath(services, input.return_to)
    const expired = () => {
      clearFirstStep(visit)
      return { to: signInPath(to), notice: t.expired }
    }
    if (!first || !(await visit.asSystem(ctx => currentStamp(ctx, first)))) return expired()
    const { userId } = first
    const attempted = { account: first.account, userId, isCode: input.passkey === '' }
    const wait = await visit.asSystem(ctx => countAttempt(ctx, visit, attempted))
    const second = wait === null ? await checkSecond(visit, userId, input) : null
    if (!second) {
      const reason = wait === null ? 'wrong_second_factor' : 'too_many'
      const target = { kind: 'user', id: userId }
      services.audit.record({ action: signInRefused, outcome: 'refused', userId, request, target, details: { reason } })
      if (wait === null) throw new Refusal({ code: codeTexts(language).wrong })
      throw refuseAttempt(visit, wait)
    }
    const left = await visit.asSystem(async ctx => {
      if (!(await currentStamp(ctx, first))) return 'ended'
      // The first step counted as an attempt too and was not reset until now, so that someone who knows the password cannot guess codes
      // without limit.
      for (const counted of [{ ...attempted, isCode: false }, attempted]) await forgetAttempts(ctx, visit, counted)
      if (first.confirms === undefined) await beginSession(ctx, visit, { ...first, second: second.by })
      else if (session?.id === first.confirms) await confirmSession(ctx, session)
      return second.by === 'recovery_code' ? (await readFactors(ctx, userId)).codes : null
    })
    if (left === 'ended') return expired()
    clearFirstStep(visit)
    return { to, ...(left !== null && { notice: t.left(left) }) }
  },
})

/** The page after the password, or the provider, for users with a second factor. */
export const secondStepPage = defineOpenPage({
  path: SECOND_STEP,
  alone: true,
  forms: [stepForm],
  async load(visit) {
    const first = readFirstStep(visit)
    const [entered] = visit.refused ? valuesOf(visit.refused.body, 'return_to') : []
    const returnTo = safePath(visit.services, entered ?? first?.returnTo)
    if (!first || !(await visit.asSystem(ctx => currentStamp(ctx, first))))
      return new Redirect(visit.session ? returnTo : signInPath(returnTo))
    const { passkeys, appSince, codes } = await visit.asSystem(ctx => readFactors(ctx, first.userId))
    const canAnswer = passkeys.length > 0 && canUsePasskeys(visit)
    return {
      returnTo,
      hasApp: appSince !== null,
      hasCodes: codes > 0 || appSince !== null,
      ceremony: canAnswer ? askForPasskey(visit, passkeys) : null,
    }
  },
  title: ({ language }) => texts(language).title,
  view(visit, { returnTo, hasApp, hasCodes, ceremony }) {
    const t = texts(visit.language)
    const c = codeTexts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${stepForm.view(
        visit,
        form =>
          html`${form.hidden('return_to', returnTo)}
          ${
            ceremony &&
            passkeyPart(visit, form, {
              ceremony,
              label: c.usePasskey,
              names: ['passkey', 'challenge'],
              kind: hasApp ? 'plain' : 'primary',
            })
          }
          ${
            hasCodes &&
            html`${form.input('code', { label: hasApp ? c.code : c.recoveryCode, hint: hasApp ? c.hint : undefined, autocomplete: 'one-time-code', code: true })}
              <p class="actions">${form.submit(t.goOn)}</p>`
          }`,
      )}
      <p><a href="${signInPath(returnTo)}">${t.again}</a></p>
      <p class="quiet">${t.lost} <code>tasuki user reset-second-factor</code></p>`
  },
})
