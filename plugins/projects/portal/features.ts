import {
  defineForm,
  definePage,
  defineProjectForm,
  defineProjectPage,
  defineTexts,
  fields,
  html,
  shownValues,
  wordsIn,
} from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { access } from '../access.ts'
import { featureOn, FEATURES, type Feature } from '../features.ts'
import { setFeatures } from '../write.ts'
import { featureTitles } from '../feature-names.ts'

const texts = defineTexts({
  title: { en: 'Features', ja: '機能' },
  own: { en: 'Defaults for all your projects.', ja: 'プロジェクトごとの設定がないときに使われる既定値です。' },
  lead: {
    en: 'Features of this project. A feature that is off is not shown and not offered to apps.',
    ja: 'このプロジェクトで使う機能です。オフの機能は表示されず、プログラムにも提供されません。',
  },
  switches: { en: 'Enabled features', ja: 'オンにする機能' },
})

const NAMES = Object.keys(FEATURES) as readonly Feature[]
export const PROJECT_FEATURES = '/projects/:key/features'
const OWN = '/settings/features'

const projectForm = defineProjectForm({
  path: PROJECT_FEATURES,
  fields: { features: fields.multipleChoice(), shown: shownValues() },
  run(ctx, project, input) {
    // Features that equal the owner's default keep following it.
    const changed = changedSwitches(input).filter(([name, on]) => on !== featureOn(ctx, name, project))
    return setFeatures(ctx, project.ownerId, project, Object.fromEntries(changed))
  },
  notice: language => texts(language).saved,
})

const ownForm = defineForm({
  path: OWN,
  fields: { features: fields.multipleChoice(), shown: shownValues() },
  async run({ session, write, language }, input) {
    await write(ctx => setFeatures(ctx, session.userId, null, Object.fromEntries(changedSwitches(input))))
    return { to: OWN, notice: texts(language).saved }
  },
})

/** Returns the features that the user switched; others may have been switched elsewhere meanwhile. */
function changedSwitches({
  features,
  shown,
}: {
  readonly features: readonly string[]
  readonly shown: Readonly<Record<string, string>>
}): [Feature, boolean][] {
  const switches = NAMES.map((name): [Feature, boolean] => [name, features.includes(name)])
  return switches.filter(([name, on]) => shown[name] !== String(on))
}

/** Project settings → Features. */
export const projectFeaturesPage = defineProjectPage({
  path: PROJECT_FEATURES,
  name: language => texts(language).title,
  menu: { place: 'project settings', rank: 30 },
  forms: [projectForm],
  async load(ctx, { project: { ownerId, features } }) {
    // Defaults belong to the owner, and a member's access holds only their own.
    const known = ownerId === ctx.actor.userId ? { ...FEATURES, ...access(ctx).features } : FEATURES
    return { on: NAMES.filter(name => features[name] ?? known[name]) }
  },
  view(visit, { role, on }) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${
        role === 'owner'
          ? switches(visit, projectForm, on)
          : html`<ul>
                ${on.map(name => html`<li>${featureTitles[name][visit.language]}</li>`)}
              </ul>
              <p class="quiet">${t.guest}</p>`
      }`
  },
})

/** Settings → Features: the defaults for all projects. */
export const ownFeaturesPage = definePage({
  path: OWN,
  name: language => texts(language).title,
  menu: { place: 'settings', rank: 50 },
  forms: [ownForm],
  load: ({ read }) => read(async ctx => NAMES.filter(name => featureOn(ctx, name))),
  view(visit, on) {
    const t = texts(visit.language)
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.own}</p>
      ${switches(visit, ownForm, on)}`
  },
})

function switches(visit: UserVisit, form: typeof ownForm, on: readonly Feature[]): Html {
  const t = texts(visit.language)
  return form.view(
    visit,
    controls =>
      html`${controls.shown(Object.fromEntries(NAMES.map(name => [name, String(on.includes(name))])))}
      ${controls.ticks('features', { label: t.switches, options: wordsIn(featureTitles, visit.language), values: on })}`,
    { submit: t.save },
  )
}
