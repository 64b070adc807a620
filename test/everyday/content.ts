import assert from 'node:assert/strict'
import type { TestHost } from 'tasuki/testing'
import type { EverydayTask } from './task.ts'

export const content: readonly EverydayTask[] = [
  {
    ask: 'Remind me of the report every Monday at 9, Tokyo time',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Weekly report')
      const { next_occurrences } = await agent.call('reminders_repeat', {
        item_ref: ref,
        recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9',
        timezone: 'Asia/Tokyo',
      })
      assert.ok(next_occurrences.every((at: string) => at.endsWith('T00:00:00.000Z') && new Date(at).getUTCDay() === 1))
    },
  },
  {
    ask: 'And of the payroll every second Friday at 16:30',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Payroll')
      const { next_occurrences } = await agent.call('reminders_repeat', {
        item_ref: ref,
        recurrence_rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=16;BYMINUTE=30',
        timezone: 'Asia/Tokyo',
      })
      const [first, second] = (next_occurrences as string[]).map(at => Date.parse(at))
      assert.equal(second! - first!, 14 * 86_400_000)
    },
  },
  {
    ask: 'Make a task for the stand-up notes every weekday',
    async run({ person, agent }) {
      const { next_occurrences } = await agent.call('templates_create', {
        title: 'Stand-up notes',
        recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR',
      })
      assert.equal(next_occurrences.length, 3)
      const { templates } = await person.call('task_templates_list')
      assert.equal(templates.length, 1)
    },
  },
  {
    ask: 'Put the retreat into the calendar, and show me the month',
    async run({ agent }) {
      await agent.call('events_create', {
        project_key: 'INBOX',
        title: 'Retreat',
        due_date: '2030-05-10',
        due_time: '10:00',
      })
      const { items } = await agent.call('events_list', { due_after: '2030-04-30', due_before: '2030-06-01' })
      assert.deepEqual(
        items.map(({ title }: { title: string }) => title),
        ['Retreat'],
      )
    },
  },
  {
    ask: 'Snooze that reminder by a day',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Call back')
      await person.call('reminders_create', { item_ref: ref, remind_at: '2030-01-01T09:00:00+09:00' })
      const { reminders } = await agent.call('reminders_list', { item_ref: ref })
      const { reminder } = await agent.call('reminders_snooze', { reminder_id: reminders[0].id, snooze_minutes: 1440 })
      assert.equal(reminder.remind_at, '2030-01-02T00:00:00.000Z')
    },
  },
  {
    ask: 'Write down the meeting and make its two action items',
    async run({ person, agent }) {
      const { item } = await agent.call('notes_create', {
        project_key: 'INBOX',
        title: 'Kick-off',
        body: '# Agreed\n- site\n- mail\n',
      })
      for (const title of ['Order the site', 'Send the mail']) {
        const made = await agent.call('items_create', { project_key: 'INBOX', title })
        await agent.call('relations_create', {
          source_item_ref: made.item.ref,
          target_item_ref: item.ref,
          relation_type: 'generated_from',
        })
      }
      assert.equal((await person.call('relations_list', { item_ref: item.ref })).relations.length, 2)
    },
  },
  {
    ask: 'Attach this log to the bug and read it back',
    async run({ person, agent }) {
      const ref = await person.item('INBOX', 'Crash', { kind: 'bug' })
      const { attachment } = await agent.call('attachments_upload', {
        parent_kind: 'item',
        parent_ref: ref,
        filename: 'crash.log.txt',
        mime_type: 'text/plain',
        content_base64: Buffer.from('boom').toString('base64'),
      })
      const { download_url } = await agent.call('attachments_download', { attachment_id: attachment.id })
      assert.match(download_url, /^http/)
    },
  },
  {
    ask: 'Which pull request fixes this?',
    async run({ person, agent, host }) {
      await person.createProject('APP')
      const ref = await person.item('APP', 'Leak')
      await linkPullRequest(host, person.email, ref)
      const { code_refs } = await agent.call('code_refs_get', { item_ref: ref })
      assert.equal(code_refs.length, 1)
    },
  },
]

/** Links the project to a repository and sends GitLab's webhook for a merge request that names the item. */
async function linkPullRequest(host: TestHost, email: string, ref: string): Promise<void> {
  const { rows } = await host.command('code link', {
    project_key: 'APP',
    host: 'gitlab',
    repository: 'acme/app',
    user: email,
  })
  const { url, secret } = rows![0] as unknown as { url: string; secret: string }
  const { statusCode } = await host.app.inject({
    method: 'POST',
    url: new URL(url).pathname,
    headers: { 'x-gitlab-event': 'Merge Request Hook', 'x-gitlab-event-uuid': 'one', 'x-gitlab-token': secret },
    payload: {
      user: { username: 'ann' },
      object_attributes: {
        iid: 5,
        title: `Plug it, fixes ${ref}`,
        description: '',
        url: 'https://code.example/5',
        state: 'opened',
        source_branch: 'fix',
        updated_at: '2026-05-02 10:00:00 UTC',
      },
    },
  })
  assert.equal(statusCode, 200)
}
