import type { FastifyInstance } from 'fastify'
import type { HostServices } from 'tasuki/plugin'
import { defineTexts } from '../language.ts'
import { setFlash } from '../flash.ts'
import { identityLinked, signInRefused } from '../audit.ts'
import { settings } from '../settings.ts'
import { openVisit } from '../visit.ts'
import { userOfIdentity } from './identities.ts'
import { findLinkedUser, linkIdentity } from './identity.repository.ts'
import { safePath } from './csrf.ts'
import { CALLBACK, finishProviderSignIn, startProviderSignIn, type Arrival } from './provider.ts'
import { signInPath } from '../sign-in-path.ts'
import { confirmSession } from './session.repository.ts'
import { currentStamp, finishFirstStep, SECOND_STEP, storeFirstStep } from './second-step.ts'
import { hasSecondFactor, readFactors } from './second-factor.repository.ts'
import { beginSession, PERSON } from './sessions.ts'

const texts = defineTexts(
  {
    failed: 'That did not work. Try again.',
    nobody: 'No user here has this account. Sign in with your password, and link it under Settings, Security.',
    taken: 'This account is linked to another user here.',
    linked: 'The account is linked.',
    confirmed: 'Your identity is confirmed for ten minutes. Now try again.',
    notFresh:
      'Your provider did not ask you to sign in again, or does not say when you did. Ask the operator for a set-up link to set a password.',
  },
  {
    ja: {
      failed: 'サインインできませんでした。もう一度お試しください。',
      nobody:
        'このアカウントに対応するユーザーがいません。パスワードでサインインし、設定の「セキュリティ」で連携してください。',
      taken: 'このアカウントは別のユーザーと連携しています。',
      linked: 'アカウントを連携しました。',
      confirmed: '本人確認ができました。10分間有効です。もう一度操作してください。',
      notFresh:
        'プロバイダーで改めてサインインしたことを確認できませんでした。セットアップリンクでパスワードを設定してください。',
    },
  },
)

/** Serves the redirects to and from the OpenID provider, if one is configured. */
export function serveProvider(app: FastifyInstance, services: HostServices): void {
  if (!services.config(settings).openid) return
  app.get('/sign-in/provider', async (request, reply) => {
    const { return_to: returnTo } = request.query as { return_to?: string }
    const there = await startProviderSignIn(services, reply, { returnTo: safePath(services, returnTo) })
    return reply.redirect(there, 303)
  })
  app.get('/sign-in/provider/confirm', async (request, reply) => {
    const { return_to: target } = request.query as { return_to?: string }
    const returnTo = safePath(services, target)
    const { session } = await openVisit(services, request, reply, 'portal sign-in provider')
    if (!session) return reply.redirect(signInPath(returnTo), 303)
    return reply.redirect(await startProviderSignIn(services, reply, { returnTo, confirms: session.userId }), 303)
  })
  app.get(CALLBACK, async (request, reply) => {
    const visit = await openVisit(services, request, reply, 'portal sign-in provider')
    const t = texts(visit.language)
    const say = (path: string, text: string) => {
      setFlash(visit, text)
      return reply.redirect(path, 303)
    }
    const arrival = await finishProviderSignIn(services, request, reply)
    if (!arrival) return say(visit.session ? '/settings/security' : '/sign-in', t.failed)
    const { identity, emailVerified, isFresh, isMultiFactor } = arrival
    const { returnTo, linkTo, confirms } = arrival.errand
    if (confirms !== undefined) {
      const { session } = visit
      if (session?.userId !== confirms) return say('/sign-in', t.failed)
      if (!isFresh) return say(returnTo, t.notFresh)
      const { userId, email: account, id } = session
      const proved = await visit.asSystem(async ctx => {
        if ((await findLinkedUser(ctx, identity)) !== userId) return 'nothing'
        if (!isMultiFactor && hasSecondFactor(await readFactors(ctx, userId))) {
          const step = { userId, method: 'provider' as const, returnTo, account, confirms: id }
          const stamp = await currentStamp(ctx, step)
          if (stamp === null) return 'nothing'
          storeFirstStep(ctx, visit, { ...step, stamp })
          return 'first step'
        }
        await confirmSession(ctx, session)
        return 'everything'
      })
      if (proved === 'first step') return reply.redirect(SECOND_STEP, 303)
      return say(returnTo, proved === 'everything' ? t.confirmed : t.failed)
    }
    if (linkTo !== undefined) {
      // The user who started the link must still be signed in.
      if (visit.session?.userId !== linkTo) return say('/sign-in', t.failed)
      const linked = await visit.asSystem(async ctx => {
        const linked = await linkIdentity(ctx, linkTo, identity)
        if (linked)
          ctx.audit({ action: identityLinked, actor: { ...PERSON, userId: linkTo }, target: accountOf(identity) })
        return linked
      })
      return say(returnTo, linked ? t.linked : t.taken)
    }
    const { trust_email: trusted } = services.config(settings).openid!
    const to = await visit.asSystem(async ctx => {
      const userId = await userOfIdentity(ctx, identity, { byEmail: trusted && emailVerified })
      if (userId === null) return null
      const step = { userId, method: 'provider' as const, returnTo, account: userId }
      if (!isMultiFactor) return (await finishFirstStep(ctx, visit, step)).to
      await beginSession(ctx, services, request, reply, { ...step, second: 'provider' })
      return returnTo
    })
    if (to === null)
      services.audit.record({ action: signInRefused, outcome: 'refused', request, target: accountOf(identity) })
    return to === null ? say('/sign-in', t.nobody) : reply.redirect(to, 303)
  })
}

function accountOf({ subject, email }: Arrival['identity']) {
  return { kind: 'account', id: subject, name: email }
}
