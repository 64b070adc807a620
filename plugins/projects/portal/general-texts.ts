import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts({
  title: { en: 'General', ja: '基本' },
  unit: { en: 'Unit of estimates', ja: '見積もりの単位' },
  units: {
    en: { none: 'No estimates', points: 'Points', hours: 'Hours' },
    ja: { none: '見積もりなし', points: 'ポイント', hours: '時間' },
  },
  archive: { en: 'Archive project', ja: 'プロジェクトをアーカイブ' },
  archiveText: {
    en: 'Its items stay and can be found and read. The project and its items are no longer listed.',
    ja: 'タスクとノートは残り、検索と閲覧ができます。プロジェクトとその中身は一覧に表示されなくなります。',
  },
  archived: { en: 'Project archived.', ja: 'プロジェクトをアーカイブしました。' },
  restore: { en: 'Restore project', ja: 'プロジェクトを元に戻す' },
  restored: { en: 'Project restored.', ja: 'プロジェクトを元に戻しました。' },
})
