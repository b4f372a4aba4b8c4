import { describe, expect, it } from 'vitest'
import { click, deploy, openEdit, submit, submitEdit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { holding } from '../support/redis-keys'

const d = endAfterAll(await deploy())

const FORM = { 'unique-field-name': 'unique-field-value', 'other': 'x' }

describe('what Redis holds of a form', () => {
  it('is one key, also while its edit form is open, and nothing once it is spam', async () => {
    const { id, card } = await submit(d, FORM)
    await openEdit(d, card, id)
    expect(await holding(d.redis.url, 'unique-field')).toEqual([`{triage}:d:${id}`])
    await click(d, card, 'spam', id)
    expect(await holding(d.redis.url, 'unique-field')).toEqual([])
  })

  it('is nothing once it is forwarded, edited or not', async () => {
    const { id, card } = await submit(d, FORM)
    await submitEdit(d, await openEdit(d, card, id), { f0: 'unique-field-edited' })
    expect(await holding(d.redis.url, 'unique-field')).toEqual([])
  })
})
