/** A text, and a later search for it in other words. All of them were written without looking at a dictionary. */
export interface Paraphrase {
  readonly title: string
  readonly detail: string
  readonly asked: string
}

const pair = (line: string): Paraphrase => {
  const [title = '', detail = '', asked = ''] = line.split('|').map(part => part.trim())
  return { title, detail, asked }
}

/** Title | detail | question. */
export const ENGLISH: readonly Paraphrase[] = `
Buy a new car | The old one needs too many repairs; look at hybrids. | purchase automobile
Book a doctor's appointment | The knee has hurt since the run on Sunday. | physician visit
Fix the crash on start | The program stops with a segmentation fault. | repair application failure
Send the invoice to Miller | Net amount 1,200, due in 30 days. | mail the bill to a customer
Delete old log files | The disk of the build machine is full. | remove ancient records
Rent a flat in Lyon | Two rooms, near the station, from October. | lease an apartment
Hire a second developer | Post the ad and talk to three candidates. | recruit a programmer
Lawn at grandmother's | Cut the grass and trim the hedge. | mow garden
Holiday in Portugal | Two weeks in June, flights from Vienna. | vacation trip
Teach the kids to ride a bike | Take off the small wheels first. | children learn bicycle
The page loads slowly | It takes nine seconds on a phone. | sluggish website performance
Sign-in fails with long passwords | More than 64 characters are refused. | cannot log on
Pick up the parcel | The post office is open until six. | collect package
Wedding present for Tom and Eva | They wish for a coffee grinder. | gift for marriage
Cancel the gym membership | The notice period is three months. | terminate fitness contract
Ask the boss for more pay | Prepare a list of what was done this year. | salary raise
Broken window in the kitchen | The glass has a crack from the storm. | shattered pane
Movie night on Friday | Get popcorn and ask Jonas for the projector. | film evening
Write the exam questions | Two hours, open book, thirty points. | test for students
Kitten needs vaccination | The vet has time on Tuesday morning. | cat immunization
Error message is hard to understand | Say what the user has to do next. | confusing warning text
Start the server automatically | It has to come up after a power cut. | launch service at boot
Encrypt the backups | Keys belong into the safe. | secure copies with a cipher
Big pictures are cut off | Photos above 4000 pixels lose their lower half. | large image truncated
Choose a firm for the roof | Three offers, all of them too dear. | select company, expensive
Speech for the funeral | Five minutes, mention his years at sea. | talk at burial
Train ticket to Hamburg | The cheap ones are gone by Monday. | railway fare
Find somebody to watch the baby | Saturday from seven to midnight. | infant sitter
Answer the customer's complaint | He wants his money back for the lamp. | reply to client, refund
Shut down the old database | Nobody has read from it since spring. | decommission legacy storage
Increase the memory limit | Imports of big files run out of heap. | raise maximum RAM
Plan the harvest party | Ask the neighbours for benches. | celebration in autumn
Paint the fence | Green, two coats, dry weather needed. | coat of colour on the garden barrier
Translate the manual | German and French, 40 pages. | handbook in other languages
Lost umbrella on the bus | Call the lost property office. | forgotten brolly, coach
Wrong sum in the report | Totals leave out the last row. | incorrect total in the document
Learn to cook fish | Start with the recipe for trout. | prepare seafood
Insurance for the house | Fire and water, compare three. | home coverage policy
Allow users to change their name | The form has no field for it. | permit people to rename themselves
Test the alarm once a month | The first Monday, at ten. | check siren regularly
Notes run off the screen edge | The text should wrap. | display border overflow
Speed up the nightly job | It is not done before work begins. | accelerate overnight task
Job interview at the bakery | Bring the certificate and be there at five. | employment conversation
Throw away broken chairs | The dump takes wood on Saturdays. | discard furniture
`
  .trim()
  .split('\n')
  .map(pair)

/** The same for Japanese. */
export const JAPANESE: readonly Paraphrase[] = `
新しい車を買う | 今のは修理代がかかりすぎる。 | 自動車の購入
来週の会議の資料を作る | 売上のグラフを入れる。 | ミーティング ドキュメント
請求書を送る | 山田商店、三十日以内に支払い。 | 勘定書の送付
起動時に落ちる不具合を直す | 設定ファイルがないと止まる。 | バグの修正
ログインできない | 長いパスワードで失敗する。 | サインイン エラー
締め切りを確認する | 論文は十月末まで。 | デッドライン
歯医者を予約する | 奥歯が痛い。 | デンタルクリニックのアポイント
部屋を掃除する | 窓も拭く。 | 清掃
京都旅行の計画 | 三泊四日、宿は駅の近く。 | トラベルプラン
古いファイルを削除する | ディスクがいっぱいになった。 | 不要なデータを消す
写真を整理する | 去年の夏の分から。 | 画像の分類
引っ越しの見積もりを取る | 三社に電話する。 | 転居の費用
子供の運動会 | お弁当は朝五時から。 | こどもの体育祭
検索が遅い | 一万件で三秒かかる。 | サーチのスピード
電話番号を変更する | 銀行と会社に知らせる。 | テレフォンナンバー 変える
病院で検査を受ける | 朝食は抜く。 | ホスピタルで診察
採用面接の準備 | 候補者は三人。 | インタビュー リクルート
結婚祝いを選ぶ | 予算は一万円。 | ウエディングのギフト
映画を見る | 土曜の夜、駅前で。 | シネマ鑑賞
パソコンを買い替える | 電池がもたない。 | PCの更新
安いホテルを探す | 出張で二泊。 | 低価格の宿泊施設
メールの返事を書く | 田中さんに金曜まで。 | Eメールに返信
庭の木を切る | 隣の家にかかっている。 | ガーデンの樹木 カット
料理の作り方を習う | 魚から始める。 | 調理法 学習
契約を終える | 通知は三か月前。 | 解約
お金を借りる | 利子を比べる。 | ローン
会社の住所が変わった | 名刺を刷り直す。 | オフィスの所在地
鍵をなくした | 大家さんに連絡する。 | キーの紛失
赤ちゃんの服を買う | 夏物、八十センチ。 | ベビー用の衣類
暗証番号を忘れた | 窓口で手続きする。 | パスコード
仕事の給料を上げてもらう | 上司と話す。 | 賃金アップ
荷物を受け取る | 郵便局は六時まで。 | 小包の受領
通知が二回届く | 同じ内容が重なる。 | お知らせの重複
英語を教える | 週に一回、中学生。 | イングリッシュ レッスン
自転車が壊れた | 後ろのタイヤが回らない。 | サイクル 故障
飲み会の店を決める | 八人、駅から近い所。 | 宴会の場所
家の保険を見直す | 火災と水害。 | 住宅の損害補償
薬を飲む | 食後に一日三回。 | 医薬品の服用
画面の文字が小さい | 年寄りには読めない。 | ディスプレイ フォントサイズ
雨で試合が中止 | 来月にやり直す。 | ゲームのキャンセル
図書館に本を返す | 三冊、木曜まで。 | ライブラリー 返却
表の合計が合わない | 最後の行が抜ける。 | トータルが間違い
`
  .trim()
  .split('\n')
  .map(pair)

/** Words that are in no dictionary and similar to no word. */
export const NONSENSE: readonly string[] = `
  xqzvbnt blorptangi qwyxplo zzkrumf flimdrazzle gworpish tnexquob vrakkledoo smurglentz plixnorvath
  jubwazzig krellifonx oompadrizzt wexlibroot yagzumblen dwizzpockle nurfgabtish threlkonquy bimzarkle cquxtonder
  fnordlezap gryptuvex hwillosnart izzquambol jorvenplux kwazzmindle lurbotrenx mxyzplatik nwoobertash oqlimfarnt
  ぬぽげらぴょす ゔぁぎゃもにゅ ぺにょむがぷ ほぎゅらぜみょ ゐゑぬぢゃぽ ざぴゅれごにゃ みゃげぽつぬ ぎょへぷゐら ぴゃぬざめぽ ぐぇみょぢぷ
  ヌポゲラピョス ヴァギャモニュ ペニョムガプ ホギュラゼミョ ザピュレゴニャ ミャゲポツヌ ギョヘプヰラ ピャヌザメポ 鬱麤籲龗 齉龘靐鱻
`
  .trim()
  .split(/\s+/)
