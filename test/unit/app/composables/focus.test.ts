import { describe, expect, test } from 'vitest'
import { hasMovedOn, useFocusKept } from '../../../../app/composables/ops/use-focus'
import { useSteps } from '../../../../app/composables/sandbox/use-steps'
import { browser, dispatch, observers, pass, use } from '../../../support/app/mounted'
import { page, Part } from '../../../support/app/tree'

function add(tag: string, parent = page.root): Part {
  const part = new Part(tag)
  part.parent = parent
  parent.children.push(part)
  return part
}
const remove = (part: Part) => {
  part.parent!.children.splice(part.parent!.children.indexOf(part), 1)
  part.parent = null
  if (page.focused === part) page.focused = page.root
}
const disable = (part: Part, is: boolean) => {
  part.props.disabled = is
  if (is && page.focused === part) page.focused = page.root
}
const keepFocus = () => use(() => ({ kept: useFocusKept() }))
/** Notifies the page's observers of changes. */
async function see() {
  observers.forEach(tell => tell())
  await pass()
}

describe('the focus', () => {
  test('of a button that was disabled while it worked comes back to it', async () => {
    await keepFocus()
    const button = add('button')
    button.focus()
    disable(button, true)
    await see()
    disable(button, false)
    await see()
    expect(page.focused).toBe(button)
  })

  test('stays with who went elsewhere meanwhile', async () => {
    await keepFocus()
    const [button, other] = [add('button'), add('button')]
    button.focus()
    disable(button, true)
    await see()
    other.focus()
    disable(button, false)
    await see()
    expect(page.focused).toBe(other)
    expect([hasMovedOn(), hasMovedOn(page.root as never)]).toEqual([true, false])
  })

  test('of what is removed goes to the heading, which counts as nowhere, unless other code moves it', async () => {
    await keepFocus()
    const [heading, button, other] = [add('h1'), add('button'), add('button')]
    button.focus()
    remove(button)
    await see()
    expect([page.focused, hasMovedOn()]).toEqual([heading, false])
    other.focus()
    remove(other)
    observers.forEach(tell => tell())
    const chosen = add('a')
    chosen.focus()
    await pass()
    expect([page.focused, hasMovedOn()]).toEqual([chosen, true])
    heading.focus()
    expect(hasMovedOn()).toBe(true)
  })

  test('is left nowhere by who presses beside a button that then goes', async () => {
    await keepFocus()
    add('h1')
    const button = add('button')
    button.focus()
    dispatch('pointerdown', { target: add('p') })
    remove(button)
    await see()
    expect(page.focused).toBe(page.root)
  })
})

describe('a long list', () => {
  const items = Array.from({ length: 250 }, (_, index) => index)

  test('is shown in steps, and the first of those that come has the focus', async () => {
    const { shown, left, showMore, labelOf } = await use(() => useSteps(() => items, 50))
    expect([shown.value.length, left.value, labelOf('250 items')]).toEqual([50, 200, 'Show 100 more of 250 items'])
    const list = add('ul')
    for (const _ of items) add('li', list)
    await showMore(list as never)
    expect([shown.value.length, labelOf('250 items'), page.focused]).toEqual(
      [150, 'Show all 250 items', list.children[50]],
    )
  })

  test('is printed as a whole', async () => {
    browser.media.add('print')
    const { shown } = await use(() => useSteps(() => items, 50))
    expect(shown.value).toHaveLength(250)
  })
})
