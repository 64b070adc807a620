import { definePlugin, defineTool, Type } from 'tasuki/plugin'

const echo = defineTool({
  name: 'bench_echo',
  class: 'R',
  title: 'Echo',
  summary: 'Answers with what it was given.',
  input: Type.Object(
    { text: Type.String({ maxLength: 100, description: 'Any text.' }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ text: Type.String() }),
  run: async (_ctx, { text }) => ({ text }),
})

/** A tool that does nothing, so that a call measures the host. */
export const plugin = definePlugin({ name: 'bench', version: '1.0.0', api: 1, group: 'bench', tools: [echo] })
