import { placeOf, type AuthorizationProblem } from 'tasuki/plugin'
import { findSession } from '../auth/sessions.ts'
import type { HttpRequest } from '../http-context.ts'
import { html, type Child } from '../html.ts'
import { defineTexts } from '../language.ts'
import { barePage } from '../ui/layout.ts'
import { lookFor } from '../visit.ts'

const code = (text: string) => html`<code>${text}</code>`

const texts = defineTexts(
  {
    title: 'The application could not be connected',
    reasons: {
      unknown_app: 'The application uses a registration that this server no longer knows.',
      unread_app: 'This server could not read the document that identifies the application.',
      expired: 'This request timed out, was already answered, or was started in another browser.',
      busy: 'There were too many requests from your network in one minute.',
      failed: 'Something went wrong on our side.',
      refused:
        'What the application asked for cannot be answered: it may be set up for another server, or have a fault.',
    },
    next: {
      unknown_app: 'Remove the connection in the application, then add it again:',
      unread_app:
        'Start again from the application in a little while. If that does not help, tell the administrator of this server: it must be able to reach the site of the application by https, or set oauth.client_metadata_documents to false in its config.',
      expired: 'Start again from the application.',
      busy: 'Wait a minute, then start again from the application.',
      failed: 'Start again from the application in a little while.',
      refused:
        'Remove the connection in the application and add it again. If that does not help, its makers can use this:',
    },
    choose: 'choose the server, then Clear authentication',
    addAgain: 'remove the connector and add it again',
    commandOf: 'the command “Authentication: Remove Dynamic Authentication Providers”',
    inSettings: 'remove the server in the MCP settings and add it again',
    afterwards: 'then',
    remove: 'delete the folder',
    detail: 'For the makers of the application',
    onward: (place: string) => `Continue to ${place}`,
    onwardHint: 'The application expects the answer at this address. Continue only if you know it.',
  },
  {
    ja: {
      title: 'アプリケーションを接続できませんでした',
      reasons: {
        unknown_app: 'アプリケーションが使っている登録は、このサーバーにはもうありません。',
        unread_app: 'アプリケーションが自身の情報を公開している文書を、このサーバーが読み取れませんでした。',
        expired: 'このリクエストは期限切れか回答済み、または別のブラウザーで始められたものです。',
        busy: 'お使いのネットワークからのリクエストが、1分間の上限を超えました。',
        failed: 'サーバー側で問題が発生しました。',
        refused:
          'アプリケーションの要求に応じられません。別のサーバー向けの設定になっているか、不具合の可能性があります。',
      },
      next: {
        unknown_app: 'アプリケーションで接続を削除し、もう一度追加してください:',
        unread_app:
          'しばらくしてから、アプリケーションからもう一度始めてください。それでも解決しない場合は、サーバーの管理者にお伝えください。アプリケーションのサイトに https で接続できるようにするか、設定の oauth.client_metadata_documents でこの方法を無効にする必要があります。',
        expired: 'アプリケーションからもう一度始めてください。',
        busy: '1分ほど待ってから、アプリケーションからもう一度始めてください。',
        failed: 'しばらくしてから、アプリケーションからもう一度始めてください。',
        refused:
          'アプリケーションで接続を削除し、もう一度追加してください。それでも解決しない場合は、次の情報を開発元にお伝えください:',
      },
      choose: 'でサーバーを選び、Clear authentication を実行',
      addAgain: 'コネクターを削除して、もう一度追加',
      commandOf: 'コマンド「Authentication: Remove Dynamic Authentication Providers」を実行',
      inSettings: 'MCP の設定でサーバーを削除して、もう一度追加',
      afterwards: '→',
      remove: 'フォルダーを削除:',
      detail: 'アプリケーションの開発元への情報',
      onward: place => `${place} へ進む`,
      onwardHint: 'アプリケーションはこのアドレスへの通知を求めています。心当たりがある場合だけ進んでください。',
    },
  },
)
type T = ReturnType<typeof texts>

/** Renders the page for an application that could not be connected; it is independent of the portal, and works without the database. */
export async function appProblemPage(
  http: HttpRequest,
  { reason, error, description, onward }: AuthorizationProblem,
): Promise<string> {
  const look = lookFor(http, await findSession(http).catch(() => null))
  const t = texts(look.language)
  const content = html`<h1>${t.title}</h1>
    <p class="lead">${t.reasons[reason]}</p>
    <p>${t.next[reason]}</p>
    ${reason === 'unknown_app' && removals(t)}
    <p class="quiet">${t.detail}: <span lang="en">${code(error)} ${description}</span></p>
    ${
      onward !== undefined &&
      html`<p>${t.onwardHint}</p>
        <p><a class="button plain" href="${onward}" rel="noreferrer">${t.onward(placeOf(onward))}</a></p>`
    }`
  return barePage(look, { title: t.title, content, here: http.request.url }).text
}

/** Explains how to remove a registration in common applications. */
function removals(t: T): Child {
  const rows: readonly (readonly [string, Child])[] = [
    ['Claude Code', html`${code('/mcp')} ${t.choose}`],
    ['Claude, ChatGPT', t.addAgain],
    ['VS Code', t.commandOf],
    ['Cursor', t.inSettings],
    ['Codex', html`${code('codex mcp logout')} ${t.afterwards} ${code('codex mcp login')}`],
    ['mcp-remote', html`${t.remove} ${code('~/.mcp-auth')}`],
  ]
  return html`<ul>
    ${rows.map(([name, how]) => html`<li>${name}: ${how}</li>`)}
  </ul>`
}
