import { defineForm } from '../page.ts'
import { defineTexts } from '../language.ts'
import { signedOut } from '../audit.ts'
import { clearCookie } from './cookies.ts'
import { endSession } from './session.repository.ts'

const texts = defineTexts({ done: 'You are signed out.' }, { ja: { done: 'サインアウトしました。' } })

/** In the header of every page. */
export const signOutForm = defineForm({
  path: '/sign-out',
  fields: {},
  async run({ services, reply, session, language, write }) {
    await write(async ctx => {
      await endSession(ctx, session.userId, session.id)
      ctx.audit({ action: signedOut })
    })
    clearCookie({ services, reply }, 'session')
    return { to: '/sign-in', notice: texts(language).done }
  },
})
