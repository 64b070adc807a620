import { defineTexts } from '../../portal/index.ts'

export const texts = defineTexts(
  {
    title: 'General',
    guest: 'Only the owner of the project can change this.',
    unit: 'Unit of estimates',
    units: { none: 'No estimates', points: 'Points', hours: 'Hours' },
    archive: 'Archive project',
    archiveText: 'Its items stay and can be found and read. The project and its items are no longer listed.',
    archived: 'Project archived.',
    restore: 'Restore project',
    restored: 'Project restored.',
  },
  {
    ja: {
      title: '基本',
      guest: '変更できるのはプロジェクトの所有者だけです。',
      unit: '見積もりの単位',
      units: { none: '見積もりなし', points: 'ポイント', hours: '時間' },
      archive: 'プロジェクトをアーカイブ',
      archiveText: 'タスクとノートは残り、検索と閲覧ができます。プロジェクトとその中身は一覧に表示されなくなります。',
      archived: 'プロジェクトをアーカイブしました。',
      restore: 'プロジェクトを元に戻す',
      restored: 'プロジェクトを元に戻しました。',
    },
  },
)
