import { defineTexts, type Language } from '../language.ts'

/** Formats bytes as megabytes. */
export const megabytes = (language: Language, bytes: number): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }).format(
    bytes / 1024 / 1024,
  )

/** Texts of the layout and of forms. */
export const partTexts = defineTexts({
  product: { en: 'tasuki', ja: 'tasuki' },
  skip: { en: 'Skip to the content', ja: '本文へ移動' },
  mainMenu: { en: 'Main', ja: 'メイン' },
  settings: { en: 'Settings', ja: '設定' },
  projectMenu: { en: 'Project', ja: 'プロジェクト' },
  projectSettings: { en: 'Project settings', ja: 'プロジェクトの設定' },
  signOut: { en: 'Sign out', ja: 'サインアウト' },
  signIn: { en: 'Sign in', ja: 'サインイン' },
  errorPrefix: { en: 'Error: ', ja: 'エラー: ' },
  optional: { en: 'optional', ja: '任意' },
  summary: { en: 'There is a problem', ja: '入力内容に問題があります' },
  back: { en: 'Home', ja: 'ホーム' },
  never: { en: 'never', ja: 'なし' },
  asWritten: {
    en: 'This text takes too long to format. It is shown as it was written.',
    ja: 'このテキストは整形に時間がかかりすぎるため、書かれたまま表示しています。',
  },
  languages: { en: 'Language', ja: '言語' },
  problems: {
    en: {
      missing: 'Enter a value.',
      choose: 'Choose one of the options.',
      tooLong: (max: number) => `Use at most ${max} characters.`,
      between: (min: number, max: number) => `Enter a whole number from ${min} to ${max}.`,
      noFile: 'Choose a file.',
      fileEmpty: 'The file is empty. Choose another one.',
      fileTooLarge: (bytes: number) =>
        `The file has more than ${megabytes('en', bytes)}. Choose a smaller one, or divide it.`,
    },
    ja: {
      missing: '入力してください。',
      choose: '選択肢から選んでください。',
      tooLong: max => `${max}文字以内で入力してください。`,
      between: (min, max) => `${min}から${max}までの整数を入力してください。`,
      noFile: 'ファイルを選んでください。',
      fileEmpty: 'ファイルが空です。別のファイルを選んでください。',
      fileTooLarge: bytes =>
        `ファイルが${megabytes('ja', bytes)}を超えています。小さいファイルを選ぶか、分割してください。`,
    },
  },
  errors: {
    en: {
      stale: 'This form has expired',
      staleText: 'Nothing was changed. Go back, reload the page and try again.',
      sendAgain: 'This form had expired, and nothing was changed. Send it again.',
      tooLarge: 'This text is too long',
      tooLargeText: 'Nothing was changed. Go back, shorten the text, or divide it, and send the form again.',
      notFound: 'Page not found',
      notFoundText: 'Nothing is at this address, or you do not have access to it.',
      forbidden: 'You do not have permission',
      featureOff: 'This feature is off',
      featureOffText: (feature: string) =>
        `${feature}: switched off in this project. Its owner can switch it on again.`,
      features: (key: string) => `Features of ${key}`,
      which: 'Which project?',
      whichText: 'Several projects that are shared with you have this key.',
      refused: 'Not possible',
      away: 'Temporarily unavailable',
      awayText: 'The database does not answer. Try again in a few seconds.',
      busyText: 'Too many long forms are being sent. Go back and send yours again in a few seconds.',
      unknown: 'Saved or not: look before you try again',
      unknownText:
        'The connection to the database was lost while this was saved. Go back, reload the page and see whether it was done. Send it again only if it was not.',
      failed: 'Something went wrong',
      failedText: (id: string) => `An unexpected error occurred. The server log has it as ${id}.`,
    },
    ja: {
      stale: 'このフォームは無効です',
      staleText:
        '有効なページから送信されませんでした。変更は行われていません。前のページに戻り、再読み込みしてからもう一度お試しください。',
      sendAgain: 'フォームの有効期限が切れていたため、変更は行われていません。もう一度送信してください。',
      tooLarge: 'テキストが長すぎます',
      tooLargeText: '変更は行われていません。前のページに戻り、テキストを短くするか分けて、もう一度送信してください。',
      notFound: 'ページが見つかりません',
      notFoundText: 'このアドレスには何もないか、閲覧する権限がありません。',
      forbidden: 'この操作は許可されていません',
      featureOff: 'この機能はオフです',
      featureOffText: feature =>
        `「${feature}」はプロジェクトの所有者がオフにしています。所有者はいつでもオンに戻せます。`,
      features: key => `${key} の機能`,
      which: 'どのプロジェクトですか？',
      whichText: '共有されている複数のプロジェクトが、このキーを使っています。',
      refused: '実行できません',
      away: '今は利用できません',
      awayText: 'データベースが応答しません。数秒後にもう一度お試しください。',
      busyText: '長いフォームの送信が集中しています。前のページに戻り、数秒後にもう一度送信してください。',
      unknown: '保存されたかどうか不明です',
      unknownText:
        '保存の途中でデータベースへの接続が切れました。前のページに戻って再読み込みし、反映されているか確認してください。反映されていない場合のみ、もう一度送信してください。',
      failed: '問題が発生しました',
      failedText: id => `サーバー側の障害です。サーバーのログに ${id} として記録されています。`,
    },
  },
})
export type PartTexts = ReturnType<typeof partTexts>
