import { placeOf } from 'tasuki/plugin'
import { readProjects } from '../projects.ts'
import { originOf } from '../auth/sessions.ts'
import { multipleChoice, singleChoice } from '../fields.ts'
import { html } from '../html.ts'
import { defineTexts, quoteIn } from '../language.ts'
import { defineForm, definePage, Refusal } from '../page.ts'
import { descriptionList, openProjects } from '../ui/parts.ts'
import { scopeChoice } from '../ui/scope-choice.ts'
import type { UserVisit } from '../visit.ts'

const texts = defineTexts(
  {
    title: 'Allow access?',
    expiredTitle: 'This request has expired',
    expired:
      'It was already answered, timed out, or was started in another browser or by someone else. Start again from the application.',
    asks: 'asks for access to your tasks, notes and calendar here.',
    nameless: 'An application without a name',
    as: 'Your account',
    notYou: ' Not you? Sign out above, and start again from the application.',
    identity: 'Application',
    verified: (host: string) => `verified: ${host}`,
    unverified: 'not verified',
    unverifiedHint: 'The application chose this name itself.',
    answerTo: 'The answer goes to',
    loopback:
      'The answer goes to a program on this computer. Go on only if you have just started to connect it yourself.',
    onlyRead: 'It asks to read only: it sees what you see, and changes nothing.',
    reach: 'Projects',
    all: 'All projects',
    allHint: 'Everything that you can see, including later projects.',
    some: 'Only some projects',
    someHint: 'Other projects stay hidden from it.',
    chosen: 'Which projects',
    none: 'Choose at least one project.',
    unknown: 'One of these projects no longer exists.',
    unclear: 'You have chosen projects, but allowed all. Choose “Only some projects”, or untick these.',
    allow: 'Allow',
    deny: 'Deny',
    end: 'You can revoke access at any time under Settings, Integrations.',
    allowed: 'Access is allowed',
    denied: 'Access is denied',
  },
  {
    ja: {
      title: 'アクセスを許可しますか？',
      expiredTitle: 'このリクエストは終了しました',
      expired:
        '回答済み、期限切れ、または別のブラウザーや別の人が開始したリクエストです。アプリケーションからもう一度始めてください。',
      asks: 'が、ここにあるタスク、ノート、カレンダーへのアクセスを求めています。',
      nameless: '名前のないアプリケーション',
      as: 'あなたのアカウント',
      notYou: '別の人ですか？上のボタンでサインアウトし、アプリケーションからもう一度始めてください。',
      identity: 'アプリケーション',
      verified: host => `確認済み: ${host}`,
      unverified: '未確認',
      unverifiedHint: '名前はアプリケーションの自己申告です。',
      answerTo: '回答の送信先',
      loopback: '回答はこのコンピューター上のプログラムに送られます。今ご自身で接続を始めた場合にのみ続けてください。',
      onlyRead: '閲覧のみを求めています。あなたに見えるものを見るだけで、変更はできません。',
      reach: 'プロジェクト',
      all: 'すべてのプロジェクト',
      allHint: '今後追加されるものも含めて、あなたに見えるものすべて。',
      some: '一部のプロジェクトのみ',
      someHint: 'ほかのプロジェクトはアプリケーションに見えません。',
      chosen: '対象のプロジェクト',
      none: 'プロジェクトを1つ以上選んでください。',
      unknown: '選んだプロジェクトの一部はもうありません。',
      unclear:
        'プロジェクトが選ばれていますが、「すべてのプロジェクト」が許可されています。「一部のプロジェクトのみ」にするか、選択を外してください。',
      allow: '許可する',
      deny: '拒否する',
      end: '設定の「連携」でいつでも取り消せます。',
      allowed: 'アクセスを許可しました',
      denied: 'アクセスを拒否しました',
    },
  },
)

const consentForm = defineForm({
  // The authorization server's cookie is bound to exactly this path.
  path: '/consent/:id',
  fields: {
    decision: singleChoice(['allow', 'deny']),
    scope: singleChoice(['read', 'write']),
    reach: singleChoice(['all', 'some']),
    projects: multipleChoice(),
  },
  async run(visit, { decision, scope, reach, projects }) {
    const { services, request, reply, params } = visit
    const t = texts(visit.language)
    const allowed = decision === 'allow'
    const granted = scope === 'write' ? (['read', 'write'] as const) : (['read'] as const)
    const onward = await services.authorization.answer(request, reply, params['id']!, {
      granted: allowed ? granted : null,
      projects: allowed ? await readChosenProjects(visit, reach, projects) : null,
      browser: originOf(request).browser!,
    })
    return { title: allowed ? t.allowed : t.denied, onward }
  },
})

/** Returns the chosen projects; null = all. Ticked projects together with "all" are an error, so that nobody allows all by mistake. */
async function readChosenProjects(visit: UserVisit, reach: 'all' | 'some', ids: readonly string[]) {
  const t = texts(visit.language)
  if (reach === 'all' && ids.length > 0) throw new Refusal({ projects: t.unclear })
  if (reach === 'all') return null
  if (ids.length === 0) throw new Refusal({ projects: t.none })
  const names = new Map((await visit.read(readProjects)).map(({ id, key }) => [id, key]))
  return [...new Set(ids)].map(id => {
    const name = names.get(id)
    if (name === undefined) throw new Refusal({ projects: t.unknown })
    return { id, name }
  })
}

/** Asks the user about one application; no access is granted without this page. */
export const consentPage = definePage({
  path: '/consent/:id',
  alone: true,
  forms: [consentForm],
  async load({ services, request, reply, params, read }) {
    const asked = await services.authorization.pending(request, reply, params['id']!)
    return { asked, projects: asked ? await read(readProjects) : [] }
  },
  title: ({ language }, { asked }) => (asked ? texts(language).title : texts(language).expiredTitle),
  view(visit, { asked, projects }) {
    const t = texts(visit.language)
    if (!asked)
      return html`<h1>${t.expiredTitle}</h1>
        <p>${t.expired}</p>`
    const { client, loopback, scopes } = asked
    return html`<h1>${t.title}</h1>
      <p class="lead">
        <strong>${client.name === '' ? t.nameless : quoteIn(visit.language, client.name)}</strong> ${t.asks}
      </p>
      ${descriptionList([
        [
          t.identity,
          client.verifiedHost === null
            ? html`<span class="tag bad">${t.unverified}</span> <span class="quiet">${t.unverifiedHint}</span>`
            : html`<span class="tag good">${t.verified(client.verifiedHost)}</span>`,
        ],
        [t.answerTo, html`<strong>${placeOf(asked.redirectUri)}</strong>`],
        [t.as, visit.session.email],
      ])}
      ${loopback && html`<p class="warning">${t.loopback}</p>`}
      ${consentForm.view(
        visit,
        form =>
          html`${
              scopes.includes('write')
                ? scopeChoice(form, visit.language)
                : html`<p>${t.onlyRead}</p>
                    ${form.hidden('scope', 'read')}`
            }
            <div class="reach">
              ${form.radios('reach', {
                label: t.reach,
                value: 'all',
                options: { all: t.all, some: t.some },
                hints: { all: t.allHint, some: t.someHint },
              })}
              ${form.ticks('projects', { label: t.chosen, options: openProjects(projects) })}
            </div>
            <p class="actions">
              ${form.submit(t.allow, { name: 'decision', value: 'allow' })}
              ${form.submit(t.deny, { kind: 'plain', name: 'decision', value: 'deny' })}
            </p>`,
      )}
      <p class="quiet">${t.end}${t.notYou}</p>`
  },
})
