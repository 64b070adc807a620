import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineTexts } from '../../../plugins/portal/index.ts'

test('texts have the common ones, but list only their own, as the options of a control', () => {
  const colours = defineTexts({ red: { en: 'Red', ja: '赤' } })
  assert.deepEqual([colours('en').save, colours('ja').save], ['Save', '保存'])
  assert.deepEqual(Object.entries(colours('ja')), [['red', '赤']])
  assert.equal(defineTexts({ red: 'Red' }, { ja: { red: '赤' } })('ja').red, '赤')
  assert.equal(defineTexts({ name: { en: 'Title', ja: 'タイトル' } })('ja').name, 'タイトル')
})
