import { defineProjectForm, defineProjectPage, fields, html, mergeShown, shownValues } from '../../portal/index.ts'
import { readKinds } from '../kind.repository.ts'
import { BUILT_IN_KINDS, setKinds } from '../kinds.ts'
import { kindName } from './texts.ts'
import { texts } from './kinds-texts.ts'

const PATH = '/projects/:key/kinds'

const saveForm = defineProjectForm({
  path: PATH,
  fields: { kinds: fields.text({ max: 2000, optional: true }), shown: shownValues() },
  refusals: {
    en: { 'invalid_argument kinds': 'Use lower-case letters, digits, - and _, and leave out the built-in kinds.' },
    ja: {
      'invalid_argument kinds': '種類に使えるのは英小文字、数字、-、_ です。最初からある種類は入力しないでください。',
    },
  },
  async run(ctx, project, { shown, ...entered }, visit) {
    const stored = { kinds: (await readKinds(ctx, project)).join(', ') }
    const { kinds } = mergeShown(visit, { shown, stored, entered })
    await setKinds(ctx, project, kinds, 'kinds')
  },
  notice: language => texts(language).saved,
})

/** Project settings → Kinds. */
export const kindsPage = defineProjectPage({
  name: language => texts(language).title,
  path: PATH,
  menu: { place: 'project settings', rank: 50 },
  forms: [saveForm],
  load: async (ctx, { project }) => ({ kinds: await readKinds(ctx, project) }),
  view(visit, { role, kinds }) {
    const t = texts(visit.language)
    const tags = (names: readonly string[]) =>
      html`<p>${names.map(name => html`<span class="tag">${name}</span> `)}</p>`
    return html`<h1>${t.title}</h1>
      <p>${t.builtIn}</p>
      ${tags(BUILT_IN_KINDS.map(kind => kindName(visit.language, kind)))}
      ${
        role === 'owner'
          ? saveForm.view(
              visit,
              form =>
                html`${form.shown({ kinds: kinds.join(', ') })}
                ${form.input('kinds', {
                  label: t.own,
                  hint: t.hint,
                  value: kinds.join(', '),
                  optional: true,
                  code: true,
                })}`,
              { submit: t.save },
            )
          : html`<h2>${t.own}</h2>
              ${kinds.length === 0 ? html`<p class="quiet">${t.none}</p>` : tags(kinds)}`
      }`
  },
})
