import {
  card,
  defineProjectForm,
  defineProjectPage,
  disclosure,
  fields,
  html,
  formatInstant,
  itemLink,
} from '../../portal/index.ts'
import type { Html, UserVisit } from '../../portal/index.ts'
import { deleteFolder, moveFolder, renameFolder } from '../folders.ts'
import { buildTree, ensureFolder, readLibrary, type Folder } from '../library.ts'
import { texts } from './library-texts.ts'

const PATH = '/projects/:key/library'
const FOLDER = '/projects/:key/library/:folder'
/** Form value for the root of the library. */
const ROOT = 'root'

const createForm = defineProjectForm({
  path: PATH,
  fields: { path: fields.text({ max: 400 }) },
  refusals: {
    en: {
      'invalid_argument path': 'Join names of 1 to 80 characters by /.',
      'limit_exceeded path': 'Use fewer levels.',
    },
    ja: {
      'invalid_argument path': 'フォルダーの名前は80文字以内にし、階層は / で区切ってください。',
      'limit_exceeded path': 'フォルダーの階層が深すぎます。階層を減らしてください。',
    },
  },
  role: 'editor',
  run: (ctx, project, { path }) => ensureFolder(ctx, project, path),
  notice: language => texts(language).created,
})

const renameForm = defineProjectForm({
  path: `${FOLDER}/rename`,
  fields: { name: fields.text({ max: 80 }) },
  refusals: {
    en: { 'invalid_argument name': 'Use 1 to 80 characters without /.' },
    ja: { 'invalid_argument name': 'この名前は使えません。/ を使わず、80文字以内で入力してください。' },
  },
  role: 'editor',
  to: `${PATH}#folder-:folder`,
  run: (ctx, project, { name }, { params }) => renameFolder(ctx, project, params['folder']!, name),
  notice: language => texts(language).renamed,
})

const moveForm = defineProjectForm({
  path: `${FOLDER}/move`,
  fields: { parent: fields.text({ max: 80 }) },
  refusals: {
    en: {
      'invalid_argument parent': 'Choose another place.',
      'limit_exceeded parent': 'Choose a place higher up.',
      'not_found parent': 'Reload the page and choose again.',
      'conflict parent': 'Choose another place, or rename the folder first.',
    },
    ja: {
      'invalid_argument parent': 'フォルダーを自分自身の中へは移動できません。別の場所を選んでください。',
      'limit_exceeded parent': 'フォルダーの階層が深くなりすぎます。もっと上の場所を選んでください。',
      'not_found parent': '移動先のフォルダーがありません。ページを再読み込みして、選び直してください。',
      'conflict parent': '移動先に同じ名前のフォルダーがあります。別の場所を選ぶか、先に名前を変更してください。',
    },
  },
  role: 'editor',
  to: `${PATH}#folder-:folder`,
  run: (ctx, project, { parent }, { params }) =>
    moveFolder(ctx, project, params['folder']!, parent === ROOT ? null : parent),
  notice: language => texts(language).moved,
})

const deleteForm = defineProjectForm({
  path: `${FOLDER}/delete`,
  fields: {},
  role: 'editor',
  to: PATH,
  run: (ctx, project, _input, { params }) => deleteFolder(ctx, project, params['folder']!),
  notice: language => texts(language).deleted,
})

/** The notes of a project in their folders. */
export const libraryPage = defineProjectPage({
  name: language => texts(language).title,
  path: PATH,
  menu: { place: 'project', rank: 30 },
  forms: [createForm, renameForm, moveForm, deleteForm],
  async load(ctx, _subject, { params }) {
    const { folders, notes, total } = await readLibrary(ctx, params['key']!)
    return { shown: notes.length, total, tree: buildTree(folders, notes, 'manual') }
  },
  view(visit, { role, tree, shown, total }) {
    const t = texts(visit.language)
    const edits = role !== 'viewer'
    const places = { [ROOT]: t.top, ...Object.fromEntries(placesIn(tree.folders)) }
    const empty = tree.folders.length === 0 && tree.notes.length === 0
    return html`<h1>${t.title}</h1>
      <p class="lead">${t.lead}</p>
      ${shown < total && html`<p class="quiet">${t.shown(shown, total)}</p>`}
      ${empty && html`<p class="quiet">${t.empty}</p>`}
      ${tree.folders.map(folder => folderView(visit, folder, edits ? places : null))}
      ${
        tree.notes.length > 0 &&
        html`${tree.folders.length > 0 && html`<h2>${t.root}</h2>`} ${noteList(visit, tree.notes)}`
      }
      ${
        edits &&
        card(
          t.create,
          createForm.view(visit, form => form.input('path', { label: t.name, hint: t.pathHint }), {
            submit: t.create,
          }),
        )
      }`
  },
})

/** Returns the path of every folder, by id. */
function placesIn(folders: readonly Folder[], above = ''): [string, string][] {
  return folders.flatMap(({ id, name, folders: inside }): [string, string][] => [
    [id, above + name],
    ...placesIn(inside, `${above}${name}/`),
  ])
}

/** @param places possible new parents of folders; null = read-only */
function folderView(visit: UserVisit, folder: Folder, places: Readonly<Record<string, string>> | null): Html {
  const t = texts(visit.language)
  return html`<details class="folder" id="folder-${folder.id}" open>
    <summary>${folder.name}</summary>
    <div>
      ${folder.notes.length > 0 ? noteList(visit, folder.notes) : folder.folders.length === 0 && html`<p class="quiet">${t.noNotes}</p>`}
      ${folder.folders.map(inside => folderView(visit, inside, places))} ${places && folderForms(visit, folder, places)}
    </div>
  </details>`
}

function folderForms(visit: UserVisit, { id, name }: Folder, places: Readonly<Record<string, string>>): Html {
  const t = texts(visit.language)
  const params = { ...visit.params, folder: id }
  return disclosure(
    visit,
    t.edit(name),
    html`${renameForm.view(
        visit,
        form =>
          html`${form.input('name', { label: t.name, value: name })}${form.submit(t.rename, { kind: 'plain', about: name })}`,
        { params },
      )}
      ${moveForm.view(
        visit,
        form =>
          html`${form.select('parent', { label: t.into, options: places })}${form.submit(t.move, { kind: 'plain', about: name })}`,
        { params },
      )}
      <p class="quiet">${t.deleteText}</p>
      ${deleteForm.button(visit, t.delete, { params, kind: 'danger', about: name, inline: false })}`,
  )
}

function noteList(visit: UserVisit, notes: Folder['notes']): Html {
  return html`<ul class="rows">
    ${notes.map(
      note =>
        html`<li>
          ${itemLink(visit, note)}
          <span class="quiet">${formatInstant(visit, note.updated_at)}</span>
        </li>`,
    )}
  </ul>`
}
