import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ERROR_CODES, ToolError } from 'tasuki/plugin'
import { text } from '../../../plugins/portal/fields.ts'
import { html } from '../../../plugins/portal/html.ts'
import { refusalText, toFormRefusal } from '../../../plugins/portal/ui/refusals.ts'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { verifies } from '../../verifies.ts'
import { portalHost, type Browser, type Page } from './portal-host.ts'

const KANA = /[ぁ-んァ-ヶ]/

forEachEngine('refusals of the portal', engine => {
  const portal = portalHost(engine)
  let email: string
  let english: Browser
  let japanese: Browser
  let task: string

  before(async () => {
    const caller = await portal.newUser()
    ;({ email } = caller)
    english = await portal.signedIn(email)
    japanese = await portal.signedIn(email)
    await japanese.get('/language/ja')
    await english.get('/projects')
    await english.send('/projects', { key: 'SHOP', name: 'Shop', description: '' })
    const { item } = await caller.call('items_create', { project_key: 'SHOP', title: 'Pay by card' })
    task = item.ref.split('#')[1]
    await sent(english, '/projects/SHOP/library', { path: 'Guides' })
    await sent(english, '/settings/numbering', { series_key: 'req', prefix: 'REQ', name: '', start: '1' })
    await sent(english, '/projects/SHOP/code', { host: 'github', repository: 'acme/shop' })
    await sent(english, '/projects/SHOP/workflow', { name: 'Ours' }, '/projects/SHOP/workflow/copy')
    await sent(english, '/projects/SHOP/workflow', { enforce: 'on' }, '/projects/SHOP/workflow/enforce')
  })
  const sent = async (browser: Browser, page: string, fields: object, address = page): Promise<Page> => {
    await browser.get(page)
    return browser.send(address, fields as Record<string, string>)
  }
  /** Reads the error of a page at a field, or above the form. */
  const readMessage = (page: Page, field: string | null): string => {
    const found =
      field === null
        ? /<div class="summary"[\s\S]*?<ul>([\s\S]*?)<\/ul>/.exec(page.text)
        : new RegExp(`<p class="problem" id="[^"]*-${field}-problem">([\\s\\S]*?)</p>`).exec(page.text)
    assert.ok(found, page.text)
    return found[1]!
  }

  const cases: readonly (readonly [
    name: string,
    page: () => string,
    fields: object,
    field: string | null,
    japanese: RegExp,
    english: RegExp,
    address?: () => string,
  ])[] = [
    [
      'a key that is taken',
      () => '/projects',
      { key: 'SHOP', name: 'x', description: '' },
      'key',
      /別のキー/,
      /There is already a project SHOP\. Choose another key/,
    ],
    [
      'a key that is none',
      () => '/projects',
      { key: '1 2', name: 'x', description: '' },
      'key',
      /英字で始め/,
      /the first a letter/,
    ],
    [
      'a member without an address',
      () => '/projects/SHOP/members',
      { email: 'nobody', role: 'viewer' },
      'email',
      /ほかの人のメールアドレス/,
      /is not an e-mail address/,
    ],
    [
      'the owner as a member',
      () => '/projects/SHOP/members',
      { email: 'OWNER', role: 'viewer' },
      'email',
      /ほかの人のメールアドレス/,
      /Give the address of somebody else/,
    ],
    [
      'a kind that is none',
      () => '/projects/SHOP/kinds',
      { kinds: 'Risk!' },
      'kinds',
      /英小文字/,
      /lower-case letters/,
    ],
    [
      'a path of folders that is none',
      () => '/projects/SHOP/library',
      { path: `${'x'.repeat(81)}/a` },
      'path',
      /80文字以内/,
      /1 to 80 characters/,
    ],
    [
      'a series that is taken',
      () => '/settings/numbering',
      { series_key: 'req', prefix: 'REQ', name: '', start: '1' },
      'series_key',
      /別のキーと接頭辞/,
      /another key and prefix/,
    ],
    [
      'a repository without an owner',
      () => '/projects/SHOP/code',
      { host: 'github', repository: 'nope' },
      'repository',
      /acme\/shop/,
      /is not the owner and name of a repository\. Write both/,
    ],
    [
      'a repository that is linked',
      () => '/projects/SHOP/code',
      { host: 'github', repository: 'acme/shop' },
      'repository',
      /先に連携を解除/,
      /Unlink it first/,
    ],
    [
      'a workflow name that is taken',
      () => '/projects/SHOP/workflow',
      { name: 'Ours' },
      'name',
      /別の名前/,
      /Choose another name/,
      () => '/projects/SHOP/workflow/copy',
    ],
    [
      'a workflow that is gone',
      () => '/projects/SHOP/workflow',
      { workflow_id: '0190f2a0-0000-7000-8000-000000000001' },
      'workflow_id',
      /選び直して/,
      /Reload the page/,
    ],
    [
      'a state that is gone',
      () => `/projects/SHOP/items/${task}`,
      { status_definition_id: '0190f2a0-0000-7000-8000-000000000001' },
      'status_definition_id',
      /選び直して/,
      /Reload the page/,
      () => `/projects/SHOP/items/${task}/state`,
    ],
  ]
  for (const [name, page, fields, field, ja, en, address = page] of cases) {
    verifies('portal.refusals', `${name} is shown in both languages, with the next step`, async () => {
      const input = 'email' in fields && fields.email === 'OWNER' ? { ...fields, email } : fields
      const inEnglish = readMessage(await sent(english, page(), input, address()), field)
      assert.match(inEnglish, en)
      assert.doesNotMatch(inEnglish, KANA)
      const inJapanese = readMessage(await sent(japanese, page(), input, address()), field)
      assert.match(inJapanese, ja)
      // The message of the tool is not translated; it is marked as English.
      const detail = /<small class="detail" lang="en">([^<]+)<\/small>/.exec(inJapanese)?.[1]
      assert.ok(detail !== undefined && inEnglish.includes(detail), inJapanese)
      assert.doesNotMatch(inEnglish + inJapanese, /workflow_states_list|tasuki workflow|library_tree_get/)
    })
  }

  verifies('portal.refusals', 'a forbidden move and an invalid filter are shown in Japanese', async () => {
    const page = `/projects/SHOP/items/${task}`
    const { text: shown } = await japanese.get(page)
    const done = /<option\s+value="([^"]+)">\s*完了/.exec(shown)![1]!
    const refused = await japanese.send(`${page}/state`, { status_definition_id: done })
    assert.equal(refused.status, 422)
    assert.match(readMessage(refused, 'status_definition_id'), /今のステータスからそのステータスへ移動できません/)
    const board = await japanese.get('/projects/SHOP/board?q=nonsense%3Ax')
    assert.match(board.text, /role="alert">検索式に誤りがあります。.*<small class="detail" lang="en">/)
  })

  verifies('portal.refusals', 'a lost permission is shown in Japanese', async () => {
    const guest = await portal.newUser()
    await sent(english, '/projects/SHOP/members', { email: guest.email, role: 'editor' })
    await portal.host.write(ctx => acceptAll(ctx, guest.email))
    const browser = await portal.signedIn(guest.email)
    await browser.get('/language/ja')
    const page = `/projects/${encodeURIComponent(`${email}/SHOP`)}/items/${task}`
    const { status, text: shown } = await browser.get(page)
    assert.equal(status, 200)
    const address = /action="([^"]+\/comments)"/.exec(shown)![1]!
    await sent(english, '/projects/SHOP/members', { email: guest.email, role: 'viewer' })
    const refused = await browser.send(address, { body: 'too late', kind: 'fact' })
    assert.equal(refused.status, 403)
    assert.match(refused.text, /権限がありません。プロジェクトの所有者に依頼/)
    assert.match(refused.text, /<small class="detail" lang="en">You may look at SHOP but not change it\.<\/small>/)
  })
})

const shown = (...children: Parameters<typeof refusalText>): string => html`${refusalText(...children)}`.text

verifies('portal.refusals', 'every code has a sentence in Japanese, whatever the field', async () => {
  for (const code of ERROR_CODES) {
    for (const field of ['anything', 'constructor', undefined]) {
      const help = field === undefined ? {} : { field }
      const said = shown('ja', new ToolError(code, 'What <happened>.', help))
      assert.match(said.split('<small')[0]!, KANA, code)
      assert.ok(said.includes('What &lt;happened&gt;.'), code)
      assert.ok(shown('en', new ToolError(code, 'What happened.', help)).startsWith('What happened.'), code)
    }
  }
})

test('several errors of one call are shown at their fields, the rest above the form', () => {
  const more = [
    new ToolError('conflict', 'Name taken.', { field: 'name' }),
    new ToolError('invalid_argument', 'Elsewhere.', { field: 'elsewhere' }),
  ]
  const { problems } = toFormRefusal('ja', new ToolError('limit_exceeded', 'Too long.', { field: 'name' }, more), {
    path: '/x',
    fields: { name: text({ max: 5 }) },
  })
  assert.deepEqual(Object.keys(problems), ['name', ''])
  assert.match(html`${problems['name']}`.text, /Too long\..*Name taken\./)
  assert.match(html`${problems['']}`.text, /Elsewhere\./)
})
