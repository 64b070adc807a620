import { callTool } from 'tasuki/plugin'
import { defineItemForm, defineTexts, fields, html, ITEM, itemPanels, table } from '../../portal/index.ts'
import type { Step } from '../step.ts'
import { checklistList } from '../tools/checklist_list.ts'
import { checklistToggle } from '../tools/checklist_toggle.ts'

const texts = defineTexts(
  { checklist: 'Checklist', check: 'Mark done', open: 'Reopen', step: 'Step' },
  {
    ja: { checklist: 'チェックリスト', check: '完了にする', open: '未完了に戻す', step: 'チェック項目' },
  },
)

/** Toggles a step on the item page. */
export const toggleForm = defineItemForm({
  path: `${ITEM}/steps/:step`,
  to: `${ITEM}#step-:step`,
  fields: { done: fields.singleChoice(['yes', 'no']) },
  run: (ctx, _ref, { done }, { params }) =>
    callTool(checklistToggle, ctx, { checklist_item_id: params['step']!, done: done === 'yes' }),
})

export const checklistPanel = itemPanels<readonly Step[]>({
  rank: 10,
  load: async (ctx, { ref }) => (await callTool(checklistList, ctx, { item_ref: ref })).checklist,
  view(visit, { role }, steps) {
    if (steps.length === 0) return null
    const t = texts(visit.language)
    return html`<h2>${t.checklist} ${steps.filter(({ done }) => done).length}/${steps.length}</h2>
      ${table(t.checklist, steps, [
        {
          title: t.step,
          cell: ({ id, content, done }) =>
            html`<span id="step-${id}">${done ? html`<s>${content}</s>` : content}</span>`,
        },
        {
          title: t.state,
          cell: ({ id, content, done }) =>
            role === 'viewer'
              ? done && t.done
              : toggleForm.button(visit, done ? t.open : t.check, {
                  params: { step: id },
                  values: { done: done ? 'no' : 'yes' },
                  kind: 'plain',
                  about: content,
                }),
        },
      ])}`
  },
})
