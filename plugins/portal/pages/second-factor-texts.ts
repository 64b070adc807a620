import { defineTexts } from '../language.ts'

export const secondFactorTexts = defineTexts({
  title: { en: 'Second factor', ja: '2段階認証' },
  lead: {
    en: 'With a second factor, a password that somebody got hold of is not enough to sign in. It is also asked for before lasting steps.',
    ja: '2段階認証を設定すると、パスワードを知られてもそれだけではサインインできません。重要な操作の前にも確認します。',
  },
  on: { en: 'On', ja: 'オン' },
  off: { en: 'Off', ja: 'オフ' },
  app: { en: 'Authenticator app', ja: '認証アプリ' },
  appText: {
    en: 'An app on your phone shows a code of six digits that changes every half minute.',
    ja: 'スマートフォンのアプリに、30秒ごとに変わる6桁のコードが表示されます。',
  },
  appOn: { en: 'Set up on', ja: '設定日時:' },
  setUpApp: { en: 'Set up an app', ja: 'アプリを設定' },
  replaceApp: { en: 'Replace the app', ja: 'アプリを変更' },
  removeApp: { en: 'Remove the app', ja: 'アプリを解除' },
  appRemoved: { en: 'The authenticator app is removed.', ja: '認証アプリを解除しました。' },
  passkeys: { en: 'Passkeys', ja: 'パスキー' },
  passkeysText: {
    en: 'A passkey in your device, password manager or security key signs you in without a password, and counts as both steps where it asks for your PIN, face or fingerprint. With a passkey set up, signing in by password asks for a second step too.',
    ja: '端末、パスワードマネージャー、セキュリティキーに保存したパスキーで、パスワードなしでサインインできます。PIN や顔、指紋で本人を確認するパスキーは2段階分として扱います。パスキーを登録すると、パスワードでのサインインにも2段階目の確認が必要になります。',
  },
  none: { en: 'You have no passkeys.', ja: 'パスキーはありません。' },
  nameHint: {
    en: 'By which you tell it from others. Left empty, it is called after this browser.',
    ja: 'ほかのパスキーと区別するための名前です。空欄の場合はこのブラウザーの名前になります。',
  },
  since: { en: 'Added', ja: '登録日時' },
  used: { en: 'Last used', ja: '最終利用' },
  add: { en: 'Add a passkey', ja: 'パスキーを追加' },
  added: { en: 'The passkey is added.', ja: 'パスキーを追加しました。' },
  noPasskey: {
    en: 'The browser made no passkey that can be used here. Try again.',
    ja: '使用できるパスキーが作成されませんでした。もう一度お試しください。',
  },
  known: { en: 'You have this passkey already.', ja: 'このパスキーはすでに登録されています。' },
  renamed: { en: 'The passkey is renamed.', ja: 'パスキーの名前を変更しました。' },
  removed: {
    en: 'The passkey is removed. Delete it in your device or password manager too.',
    ja: 'パスキーを削除しました。端末やパスワードマネージャーからも削除してください。',
  },
  noName: {
    en: 'Passkeys work where the service has a name and HTTPS, and this page is open under that name. They cannot be added here.',
    ja: 'パスキーは、ホスト名と HTTPS を使うサーバーで、そのアドレスからページを開いた場合に利用できます。ここでは追加できません。',
  },
  codes: { en: 'Recovery codes', ja: 'リカバリーコード' },
  codesText: {
    en: (n: number) => `Each code replaces a lost second factor once. ${n === 1 ? '1 is' : `${n} are`} left.`,
    ja: n => `2段階目の手段を失くしたときに、それぞれ一度だけ使えます。残りは${n}件です。`,
  },
  newCodes: { en: 'Make new codes', ja: '新しいコードを発行' },
  codesTitle: { en: 'Your recovery codes', ja: 'リカバリーコード' },
  codesLead: {
    en: 'Keep them where you find them without this device: on paper, or in a password manager. Each works once. They are shown only now, and earlier ones have ended.',
    ja: '紙やパスワードマネージャーなど、この端末がなくても確認できる場所に保管してください。それぞれ一度だけ使えます。表示されるのは今回だけで、以前のコードは無効になりました。',
  },
  codesDone: { en: 'I have kept them', ja: '保管しました' },
  appTitle: { en: 'Set up an authenticator app', ja: '認証アプリの設定' },
  appSteps: {
    en: 'Scan the picture with your app, or type the secret into it. Then enter the code that it shows.',
    ja: 'アプリで画像を読み取るか、シークレットを入力してください。続けて、アプリに表示されたコードを入力します。',
  },
  qr: { en: 'QR code for the authenticator app', ja: '認証アプリ用の QR コード' },
  code: { en: 'Code', ja: 'コード' },
  codeHint: { en: 'Six digits.', ja: '6桁の数字。' },
  turnOn: { en: 'Turn on', ja: '有効にする' },
  wrong: {
    en: 'This is not the code that the app shows now. Check the clock of your device.',
    ja: 'アプリに表示されているコードと一致しません。端末の時計を確認してください。',
  },
  stale: {
    en: 'This page is too old. Scan the new picture.',
    ja: 'このページは古くなっています。新しい画像を読み取ってください。',
  },
  replaced: { en: 'The authenticator app is set up.', ja: '認証アプリを設定しました。' },
})
