import { callTool } from 'tasuki/plugin'
import { checklistList, checklistToggle, type Step } from '../../../../checklist/index.ts'
import { oneOf } from '../../../fields.ts'
import { html } from '../../../html.ts'
import { defineForm } from '../../../page.ts'
import { itemPanels, portalForms } from '../../../points.ts'
import { addressOf, formView } from '../../../ui/form.ts'
import { table } from '../../../ui/parts.ts'
import { ITEM } from '../../../ui/item-address.ts'
import { itemTexts } from '../texts.ts'

const toggleForm = defineForm({
  path: `${ITEM}/steps/:step`,
  fields: { done: oneOf(['yes', 'no']) },
  async run({ params, write }, { done }) {
    await write(ctx => callTool(checklistToggle, ctx, { checklist_item_id: params['step']!, done: done === 'yes' }))
    return { to: addressOf(ITEM, params) }
  },
})

const panel = itemPanels<readonly Step[]>({
  rank: 10,
  load: async (ctx, { ref }) => (await callTool(checklistList, ctx, { item_ref: ref })).checklist,
  view(visit, { role }, steps) {
    if (steps.length === 0) return null
    const t = itemTexts(visit.language)
    return html`<h2>${t.checklist} ${steps.filter(({ done }) => done).length}/${steps.length}</h2>
      ${table(t.checklist, steps, [
        { title: t.step, cell: ({ content, done }) => (done ? html`<s>${content}</s>` : content) },
        {
          title: t.state,
          cell: ({ id, content, done }) =>
            role === 'viewer'
              ? done && t.checkDone
              : formView(
                  visit,
                  toggleForm,
                  { ...visit.params, step: id },
                  form =>
                    html`${form.hidden('done', done ? 'no' : 'yes')}
                    ${form.submit(done ? t.checkOpen : t.checkDone, { kind: 'plain', about: content })}`,
                  { inline: true },
                ),
        },
      ])}`
  },
})

export const checklistPanel = [panel, portalForms({ page: ITEM, form: toggleForm })]
