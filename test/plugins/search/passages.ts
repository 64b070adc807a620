import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql, uuid, type WriteContext } from 'tasuki/plugin'
import { writeDocuments } from '../../../plugins/search/document.repository.ts'

/** Japanese passages, with questions that they answer: JSQuAD. */
export interface Passages {
  readonly notes: readonly { readonly title: string; readonly detail: string }[]
  readonly questions: readonly { readonly text: string; readonly note: number }[]
}

interface SquadFile {
  readonly data: readonly {
    readonly title: string
    readonly paragraphs: readonly { readonly context: string; readonly qas: readonly { readonly question: string }[] }[]
  }[]
}

/** @returns null without TEST_DATA_DIR */
export function readPassages(): Passages | null {
  const folder = process.env['TEST_DATA_DIR']
  if (!folder) return null
  const { data } = JSON.parse(readFileSync(join(folder, 'japanese', 'jsquad-valid-v1.3.json'), 'utf8')) as SquadFile
  const notes: { title: string; detail: string }[] = []
  const questions: { text: string; note: number }[] = []
  for (const { title, paragraphs } of data) {
    for (const { context, qas } of paragraphs) {
      for (const { question } of qas) questions.push({ text: question, note: notes.length })
      notes.push({ title, detail: context.slice(context.indexOf('[SEP]') + '[SEP]'.length).trim() })
    }
  }
  return { notes, questions }
}

/** Inserts notes into the Inbox of a user in one statement. @returns their numbers */
export async function writeNotes(ctx: WriteContext, ownerId: string, notes: Passages['notes']): Promise<number[]> {
  const { rows } = await sql<{ project_id: string; state_id: string }>`
    select p.id as project_id, (select s.id from workflows.states s where s.owner_id = p.owner_id limit 1) as state_id
    from projects.projects p where p.owner_id = ${ownerId} and p.is_inbox
  `.execute(ctx.db)
  const place = rows[0]!
  const items = notes.map(({ title, detail }, n) => ({ itemId: uuid(), number: 100_000 + n, title, detail }))
  for (let from = 0; from < items.length; from += 200) {
    const batch = items.slice(from, from + 200)
    const values = batch.map(({ itemId, number, title, detail }) => ({
      owner_id: ownerId,
      id: itemId,
      number,
      ...place,
      type: 'note' as const,
      title,
      detail,
      created_at: ctx.now,
      updated_at: ctx.now,
      last_activity_at: ctx.now,
    }))
    await ctx.db.insertInto('items.items').values(values).execute()
    const documents = batch.map(item => ({ ...item, ownerId, projectId: place.project_id }))
    await writeDocuments(ctx, documents)
  }
  return items.map(item => item.number)
}
