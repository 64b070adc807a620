import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HostServices } from 'tasuki/plugin'
import { defineTexts } from '../language.ts'
import { setFlash } from '../flash.ts'
import { identityLinked, signInRefused } from '../audit.ts'
import { settings } from '../settings.ts'
import { openVisit, type Visit } from '../visit.ts'
import { userOfIdentity } from './identities.ts'
import { findLinkedUser, linkIdentity } from './identity.repository.ts'
import { safePath } from './csrf.ts'
import {
  CALLBACK,
  finishProviderSignIn,
  startProviderSignIn,
  takePending,
  type ProviderSignIn,
  type Purpose,
} from './provider.ts'
import { signInPath } from '../sign-in-path.ts'
import { Refusal } from '../page.ts'
import { confirmSession } from './session.repository.ts'
import { currentStamp, finishFirstStep, SECOND_STEP, storeFirstStep } from './second-step.ts'
import { hasSecondFactor, readFactors } from './second-factor.repository.ts'
import { beginSession, PERSON } from './sessions.ts'

const texts = defineTexts({
  failed: { en: 'That did not work. Try again.', ja: 'サインインできませんでした。もう一度お試しください。' },
  unlinked: {
    en: 'No user here has this account. Sign in with your password, and link it under Settings, Security.',
    ja: 'このアカウントに対応するユーザーがいません。パスワードでサインインし、設定の「セキュリティ」で連携してください。',
  },
  unknown: {
    en: 'No user here has this account. Ask the administrator to add you.',
    ja: 'このアカウントに対応するユーザーがいません。サーバーの管理者に登録を依頼してください。',
  },
  taken: { en: 'This account is linked to another user here.', ja: 'このアカウントは別のユーザーと連携しています。' },
  linked: { en: 'The account is linked.', ja: 'アカウントを連携しました。' },
  confirmed: {
    en: 'Your identity is confirmed for ten minutes. Now try again.',
    ja: '本人確認ができました。10分間有効です。もう一度操作してください。',
  },
  notFresh: {
    en: 'Your provider did not ask you to sign in again, or does not say when you did. Ask the operator for a set-up link to set a password.',
    ja: 'プロバイダーで改めてサインインしたことを確認できませんでした。セットアップリンクでパスワードを設定してください。',
  },
})

/** Serves the redirects to and from the OpenID provider, if one is configured. */
export function serveProvider(app: FastifyInstance, services: HostServices): void {
  if (!services.config(settings).openid) return
  const returnPathOf = ({ query }: FastifyRequest) => safePath(services, (query as { return_to?: unknown }).return_to)
  app.get('/sign-in/provider', async (request, reply) => {
    const returnTo = returnPathOf(request)
    const visit = await openVisit({ services, request, reply }, 'portal sign-in provider')
    return leave(visit, { returnTo }, signInPath(returnTo))
  })
  app.get('/sign-in/provider/confirm', async (request, reply) => {
    const returnTo = returnPathOf(request)
    const visit = await openVisit({ services, request, reply }, 'portal sign-in provider')
    if (!visit.session) return reply.redirect(signInPath(returnTo), 303)
    return leave(visit, { returnTo, confirms: visit.session.userId }, returnTo)
  })
  app.get(CALLBACK, async (request, reply) => {
    const visit = await openVisit({ services, request, reply }, 'portal sign-in provider')
    const pending = takePending(visit)
    const signIn = pending && (await finishProviderSignIn(visit, pending))
    const back = visit.session ? (pending?.returnTo ?? '/settings/security') : signInPath(pending?.returnTo ?? '/')
    const failed = { to: back, notice: texts(visit.language).failed }
    const { to, notice } = signIn ? await answerSignIn(visit, signIn) : failed
    if (notice !== undefined) setFlash(visit, notice)
    return reply.redirect(to, 303)
  })
}

/** Redirects to the provider, or to `back` with the reason if that is not possible. */
async function leave(visit: Visit, purpose: Purpose, back: string): Promise<FastifyReply> {
  try {
    return visit.reply.redirect(await startProviderSignIn(visit, purpose), 303)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    setFlash(visit, String(error.problems['']))
    return visit.reply.redirect(back, 303)
  }
}

/** The next page, and what it says once. */
interface NextPage {
  readonly to: string
  readonly notice?: string
}

function answerSignIn(visit: Visit, signIn: ProviderSignIn): Promise<NextPage> {
  const { confirms, linkTo } = signIn.purpose
  if (confirms !== undefined) return confirmUser(visit, signIn, confirms)
  if (linkTo !== undefined) return linkUser(visit, signIn, linkTo)
  return signInUser(visit, signIn)
}

/** Confirms the identity of the signed-in user; with a second factor, its page follows. */
async function confirmUser(visit: Visit, signIn: ProviderSignIn, confirms: string): Promise<NextPage> {
  const t = texts(visit.language)
  const { session } = visit
  const { returnTo } = signIn.purpose
  if (session?.userId !== confirms) return { to: signInPath(returnTo), notice: t.failed }
  if (!signIn.isFresh) return { to: returnTo, notice: t.notFresh }
  const { userId, email: account, id } = session
  return visit.asSystem(async ctx => {
    const failed = { to: returnTo, notice: t.failed }
    if ((await findLinkedUser(ctx, signIn.identity)) !== userId) return failed
    if (!signIn.isMultiFactor && hasSecondFactor(await readFactors(ctx, userId))) {
      const step = { userId, method: 'provider' as const, returnTo, account, confirms: id }
      const stamp = await currentStamp(ctx, step)
      if (stamp === null) return failed
      storeFirstStep(ctx, visit, { ...step, stamp })
      return { to: SECOND_STEP }
    }
    await confirmSession(ctx, session)
    return { to: returnTo, notice: t.confirmed }
  })
}

/** Links the account to the user who started the link and is still signed in. */
async function linkUser(visit: Visit, { identity, purpose }: ProviderSignIn, linkTo: string): Promise<NextPage> {
  const t = texts(visit.language)
  if (visit.session?.userId !== linkTo) return { to: signInPath(purpose.returnTo), notice: t.failed }
  const linked = await visit.asSystem(async ctx => {
    if (!(await linkIdentity(ctx, linkTo, identity))) return false
    ctx.audit({ action: identityLinked, actor: { ...PERSON, userId: linkTo }, target: accountOf(identity) })
    return true
  })
  return { to: purpose.returnTo, notice: linked ? t.linked : t.taken }
}

/** Signs in the user of the account. */
async function signInUser(visit: Visit, signIn: ProviderSignIn): Promise<NextPage> {
  const { services, request } = visit
  const { identity, emailVerified, isMultiFactor, purpose } = signIn
  const { openid, password_sign_in: passwords } = services.config(settings)
  const t = texts(visit.language)
  const to = await visit.asSystem(async ctx => {
    const userId = await userOfIdentity(ctx, identity, { byEmail: openid!.trust_email && emailVerified })
    if (userId === null) return null
    const step = { userId, method: 'provider' as const, returnTo: purpose.returnTo, account: userId }
    if (!isMultiFactor) return (await finishFirstStep(ctx, visit, step)).to
    await beginSession(ctx, visit, { ...step, second: 'provider' })
    return purpose.returnTo
  })
  if (to !== null) return { to }
  services.audit.record({ action: signInRefused, outcome: 'refused', request, target: accountOf(identity) })
  return { to: signInPath(purpose.returnTo), notice: passwords ? t.unlinked : t.unknown }
}

function accountOf({ subject, email }: ProviderSignIn['identity']) {
  return { kind: 'account', id: subject, name: email }
}
