import type { SeededRandom } from '../random.ts'

/** Words for titles and bodies; a third of the data is Japanese. */
const ENGLISH =
  'fix add update remove refactor review release deploy user page login error button list filter export import token cache query index migration test build config panel dialog form message webhook queue worker timeout latency memory regression mobile browser layout theme contrast shortcut board column project workspace member invite history comment upload preview schema parser router session proxy backup archive branch sprint forecast roadmap incident metric dashboard chart invoice refund locale calendar reminder deadline'.split(
    ' ',
  )
const JAPANESE =
  '課題 修正 追加 更新 削除 画面 一覧 検索 設定 通知 機能 対応 確認 実装 不具合 原因 調査 改善 速度 権限 管理 担当者 期限 優先度 進捗 報告 会議 資料 仕様 設計 試験 環境 構築 移行 障害 復旧 監視 履歴 添付 画像 出力 形式 変換 文字化け 表示 遅延 請求書 見積 契約 顧客 返信 翻訳 予定 休暇 申請 承認 公開 共有 招待 認証'.split(
    ' ',
  )
const PARTICLES = ['の', 'を', 'が', 'に', 'と', 'で', 'から', 'まで', 'について']

export function pick<T>(random: SeededRandom, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!
}

export function sentence(random: SeededRandom, words: number): string {
  if (random() < 0.34) {
    const parts = Array.from({ length: words }, () => pick(random, JAPANESE) + pick(random, PARTICLES))
    return `${parts.join('')}対応`
  }
  const text = Array.from({ length: words }, () => pick(random, ENGLISH)).join(' ')
  return text[0]!.toUpperCase() + text.slice(1)
}
