import { choice, Content, date, defineTool, nullable, ToolError, Type } from '../../../core/plugin/index.ts'
import type { PluginSpec } from '../../../core/plugin/index.ts'

/** State that tests share with the running endpoint. */
export interface World {
  now: Date
  revoked: Set<string>
  /** Part of the question of note_delete. */
  title?: string
  /** Names of the tools that ran. */
  readonly ran: string[]
  readonly logged: object[]
}

const NoInput = Type.Object({}, { additionalProperties: false })
const Note = Type.Object(
  {
    title: Type.String({ description: 'Title.', minLength: 1, maxLength: 20 }),
    priority: Type.Optional(nullable(choice(['low', 'high'], { description: 'Priority.' }))),
    due_date: Type.Optional(nullable(date('Day.'))),
    count: Type.Optional(Type.Integer({ description: 'Count.', minimum: 1, maximum: 9 })),
    steps: Type.Optional(
      Type.Array(Type.Object({ text: Type.String() }, { additionalProperties: false }), {
        description: 'Steps.',
        maxItems: 3,
      }),
    ),
    body: Type.Optional(Type.Any({ description: 'Anything.' })),
  },
  { additionalProperties: false },
)
const ROW = 'x'.repeat(100)

export function demoPlugin(world: World): PluginSpec {
  const ran = <T>(name: string, result: T): T => {
    world.ran.push(name)
    return result
  }
  return {
    name: 'demo',
    version: '1.0.0',
    api: 1,
    group: 'demo',
    tools: [
      defineTool({
        name: 'echo',
        class: 'R',
        title: 'Echo',
        summary: 'Returns a word.',
        input: Type.Object({ word: Type.String({ description: 'A word.' }) }, { additionalProperties: false }),
        output: Type.Object({ word: Type.String() }),
        run: async (_ctx, { word }) => ran('echo', { word }),
      }),
      defineTool({
        name: 'rows_list',
        class: 'R',
        title: 'Rows',
        summary: 'Returns many rows.',
        rows: 'rows',
        input: Type.Object({
          limit: Type.Integer({ description: 'Rows.' }),
          offset: Type.Optional(Type.Integer({ description: 'First row.' })),
        }),
        output: Type.Object({ rows: Type.Array(Type.String()), has_more: Type.Boolean() }),
        run: async (_ctx, { limit }) => ({ rows: Array.from({ length: limit }, () => ROW), has_more: false }),
      }),
      defineTool({
        name: 'cursors_list',
        class: 'R',
        title: 'Rows by cursor',
        summary: 'Returns many rows and a cursor.',
        rows: 'rows',
        input: Type.Object({ limit: Type.Integer({ description: 'Rows.' }) }),
        output: Type.Object({ rows: Type.Array(Type.String()), next_cursor: Type.String() }),
        run: async (_ctx, { limit }) => ({ rows: Array.from({ length: limit }, () => ROW), next_cursor: 'abc' }),
      }),
      defineTool({
        name: 'blob_get',
        class: 'R',
        title: 'Blob',
        summary: 'Returns one long text.',
        input: Type.Object({ size: Type.Integer({ description: 'Characters.' }) }),
        output: Type.Object({ text: Type.String() }),
        run: async (_ctx, { size }) => ({ text: 'x'.repeat(size) }),
      }),
      defineTool({
        name: 'boom',
        class: 'R',
        title: 'Boom',
        summary: 'Fails as told.',
        input: Type.Object({ how: Type.String({ description: 'What to throw.' }) }),
        run: async (_ctx, { how }) => {
          if (how === 'tool') throw new ToolError('not_found', 'No item #7', { field: 'item_ref' })
          throw Object.assign(
            new Error('secret detail'),
            how === 'bug' ? {} : how === 'lost' ? { retryable: true } : { code: how },
          )
        },
      }),
      defineTool({
        name: 'bad_output',
        class: 'R',
        title: 'Bad output',
        summary: 'Breaks its schema.',
        input: NoInput,
        output: Type.Object({ count: Type.Integer() }),
        run: async () => ({ count: 'many' }) as never,
      }),
      defineTool({
        name: 'links_list',
        class: 'R',
        title: 'Links',
        summary: 'Returns a link.',
        input: NoInput,
        run: async () => new Content([{ type: 'resource_link', uri: 'https://x.example/', name: 'x' }], { ok: true }),
      }),
      defineTool({
        name: 'slow_get',
        class: 'R',
        title: 'Slow',
        summary: 'Waits until it is cancelled.',
        input: NoInput,
        output: Type.Object({ done: Type.Boolean() }),
        run: ctx =>
          new Promise(resolve => {
            ctx.client.progress(1, 2)
            const timer = setTimeout(() => resolve({ done: true }), 3000)
            ctx.signal.addEventListener('abort', () => {
              clearTimeout(timer)
              world.ran.push(`slow_get aborted: ${(ctx.signal.reason as Error).message}`)
              resolve({ done: false })
            })
          }),
      }),
      defineTool({
        name: 'ask_get',
        class: 'R',
        title: 'Ask',
        summary: 'Asks for a name.',
        input: Type.Object({ word: Type.Optional(Type.String({ description: 'A word.' })) }),
        output: Type.Object({ name: Type.String(), state: Type.Any() }),
        async run(ctx) {
          const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
          const form = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema } } as const
          const { answers, state } = await ctx.client.ask({ who: form }, { kept: 1 })
          return { name: (answers['who']!['content'] as { name: string }).name, state }
        },
      }),
      defineTool({
        name: 'region_get',
        class: 'R',
        title: 'Region',
        summary: 'Has a parameter that a header repeats.',
        input: Type.Object({
          region: Type.Optional(Type.String({ description: 'Region.', 'x-mcp-header': 'Region' })),
          level: Type.Optional(Type.Integer({ description: 'Level.', 'x-mcp-header': 'Level' })),
        }),
        output: Type.Object({ region: Type.Optional(Type.String()) }),
        run: async (_ctx, { region }) => (region === undefined ? {} : { region }),
      }),
      defineTool({
        name: 'note_create',
        class: 'W',
        title: 'Create note',
        summary: 'Creates a note.',
        input: Note,
        output: Type.Object({ title: Type.String(), run: Type.Integer() }),
        run: async (ctx, { title }) => {
          if (title === 'conflict' && world.ran.filter(name => name === 'note_create').length < 2) {
            world.ran.push('note_create')
            throw Object.assign(new Error('serialization'), { cause: { code: '40001' } })
          }
          if (title === 'client') return { title: String(ctx.actor.client), run: 0 }
          return ran('note_create', { title, run: world.ran.length + 1 })
        },
      }),
      defineTool({
        name: 'bulk_patch',
        class: 'W',
        title: 'Bulk',
        summary: 'Answers with an error result.',
        input: NoInput,
        run: async () => ran('bulk_patch', new Content([], { failed: 2 }, { isError: true })),
      }),
      defineTool({
        name: 'note_delete',
        class: 'WD',
        title: 'Delete note',
        summary: 'Deletes a note.',
        input: Type.Object(
          {
            id: Type.Integer({ description: 'Id.' }),
            fail: Type.Optional(Type.Boolean({ description: 'Fail once.' })),
          },
          { additionalProperties: false },
        ),
        output: Type.Object({ deleted: Type.Boolean(), id: Type.Integer() }),
        confirm: async (_ctx, { id }) => {
          if (id === 404) throw new ToolError('not_found', 'No note 404')
          return `Delete note ${id}${world.title ?? ''}`
        },
        run: async (ctx, input) => {
          ctx.client.requireAgreed(`Delete note ${input.id}${world.title ?? ''}`)
          if (input.fail && !world.ran.includes('note_delete')) {
            world.ran.push('note_delete')
            throw new ToolError('conflict', 'Not now')
          }
          if ('confirm_token' in input) throw new Error('the token reached the handler')
          return ran('note_delete', { deleted: true, id: input.id })
        },
      }),
    ],
    prompts: [
      {
        name: 'plan_day',
        description: 'Plans a day.',
        arguments: [{ name: 'day', required: true }],
        get: async (_ctx, { day }) => [{ role: 'user', content: { type: 'text', text: `Plan ${day}` } }],
        complete: async (_ctx, _argument, value) => ['monday', 'tuesday'].filter(day => day.startsWith(value)),
      },
    ],
    resources: [
      {
        name: 'about',
        description: 'About.',
        uri: 'demo://about',
        read: async (_ctx, uri) => [{ uri, text: 'Hello' }],
      },
      {
        name: 'note',
        description: 'A note.',
        uriTemplate: 'demo://notes/{id}',
        read: async (_ctx, uri, { id }) => (id === '0' ? null : [{ uri, text: `Note ${id}` }]),
      },
    ],
  }
}
