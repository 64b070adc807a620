import { defineTexts } from '../language.ts'

/** Texts of the frame around every page, and of forms. */
export const partTexts = defineTexts(
  {
    product: 'tasuki',
    skip: 'Skip to the content',
    mainMenu: 'Main',
    settingsMenu: 'Settings',
    settings: 'Settings',
    projectMenu: 'Project',
    projectSettings: 'Project settings',
    signOut: 'Sign out',
    signIn: 'Sign in',
    errorPrefix: 'Error: ',
    optional: 'optional',
    summary: 'There is a problem',
    back: 'Back to the start',
    goOn: 'Continue',
    never: 'never',
    problems: {
      missing: 'This is missing.',
      choose: 'Choose one of the options.',
      tooLong: (max: number) => `This may have at most ${max} characters.`,
      between: (min: number, max: number) => `Enter a whole number from ${min} to ${max}.`,
    },
    errors: {
      stale: 'This form is too old',
      staleText:
        'It was not sent from a page of this site that is still valid. Nothing was changed. Go back, reload the page and try again.',
      notFound: 'Page not found',
      notFoundText: 'There is nothing at this address, or you may not see it.',
      forbidden: 'You may not do this',
      tooMany: 'Too many attempts',
      failed: 'Something went wrong',
      failedText: (id: string) => `The fault is on our side, and it is in the log of the server as ${id}.`,
    },
  },
  {
    ja: {
      product: 'tasuki',
      skip: '本文へ移動',
      mainMenu: 'メイン',
      settingsMenu: '設定',
      settings: '設定',
      projectMenu: 'プロジェクト',
      projectSettings: 'プロジェクトの設定',
      signOut: 'サインアウト',
      signIn: 'サインイン',
      errorPrefix: 'エラー: ',
      optional: '任意',
      summary: '入力内容に問題があります',
      back: '最初のページへ戻る',
      goOn: '続ける',
      never: 'なし',
      problems: {
        missing: '入力してください。',
        choose: '選択肢から選んでください。',
        tooLong: max => `${max}文字以内で入力してください。`,
        between: (min, max) => `${min}から${max}までの整数を入力してください。`,
      },
      errors: {
        stale: 'このフォームは無効です',
        staleText:
          '有効なページから送信されませんでした。変更は行われていません。前のページに戻り、再読み込みしてからもう一度お試しください。',
        notFound: 'ページが見つかりません',
        notFoundText: 'このアドレスには何もないか、閲覧する権限がありません。',
        forbidden: 'この操作は許可されていません',
        tooMany: '試行回数が多すぎます',
        failed: '問題が発生しました',
        failedText: id => `サーバー側の障害です。サーバーのログに ${id} として記録されています。`,
      },
    },
  },
)
export type PartTexts = ReturnType<typeof partTexts>
