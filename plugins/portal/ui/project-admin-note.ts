import { html, type Html } from '../html.ts'
import { defineTexts, type Language } from '../language.ts'

const texts = defineTexts({
  text: {
    en: 'Tools that create projects and workflows, move items between projects, and make events and reminders recur come with the plugin project_admin, which the operator turns on in the config file:',
    ja: 'プロジェクトやワークフローの作成、プロジェクト間の移動、繰り返しの予定とリマインダーのツールは、プラグイン project_admin に含まれます。運用者が設定ファイルで有効にします。',
  },
})

/** Explains in one line how the operator turns project_admin on. */
export function projectAdminNote(language: Language): Html {
  return html`<p class="quiet">${texts(language).text} <code>"plugins": { "project_admin": true }</code></p>`
}
