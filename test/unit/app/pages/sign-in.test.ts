import { beforeEach, describe, expect, test } from 'vitest'
import SignInDialog from '../../../../app/components/sign-in/dialog.vue'
import SignInForm from '../../../../app/components/sign-in/form.vue'
import AccountMenu from '../../../../app/components/ops/account-menu.vue'
import signInMiddleware from '../../../../app/middleware/sign-in.global'
import { askOps } from '../../../../app/composables/ops/use-ops'
import { useSignIn, useWhoLooks } from '../../../../app/composables/ops/use-sign-in'
import SignInPage from '../../../../pages/sign-in.vue'
import { byId, gate, mount, pass, press, shown, submit, type, typed, use } from '../../../support/app/mounted'
import { navigateTo, noAnswer, refusal, route, site, useState, type Asked } from '../../../support/app/nuxt'
import { page } from '../../../support/app/tree'
import { away } from '../../../support/app/service'

const SIGNED_OUT = { viewer: null, password: true, platforms: [{ key: 'discord', label: 'Discord' }] }
const SIGNED_IN = { ...SIGNED_OUT, viewer: { name: 'Ada', role: 'reviewer', platform: 'Ops page' } }
let session: object
let signedIn: (asked: Asked) => unknown

beforeEach(() => {
  session = SIGNED_OUT
  signedIn = () => {
    session = SIGNED_IN
    return {}
  }
  site.answer = asked => asked.path === '/api/auth/session' ? session : signedIn(asked)
})

async function fill(password: string, name = 'Ada') {
  await type('name', name)
  await type('password', password)
  await submit()
}
const problem = () => byId('problem')?.props.description
const open = async () => {
  useState('sign-in', () => session)
  await mount(SignInForm, { to: '/status' })
}

describe('the form', () => {
  test('signs in, keeps the name in this browser, and has the focus', async () => {
    await open()
    expect(page.focused?.props.name).toBe('name')
    await fill('right', ' Ada ')
    expect(site.asked.map(({ path, body }) => [path, body])).toEqual([
      ['/api/auth/sign-in', { name: ' Ada ', password: 'right' }], ['/api/auth/session', {}],
    ])
    expect(localStorage.getItem('sign-in-name')).toBe('Ada')
    await mount(SignInForm, { to: '/' })
    expect(page.focused?.props.name).toBe('password')
  })

  test('keeps the name after a wrong password, and asks for the password again', async () => {
    await open()
    signedIn = () => refusal(401, { error: 'The password is wrong.' })
    await fill('wrong')
    expect([problem(), typed('name'), typed('password'), page.focused?.props.name]).toEqual(
      ['The password is wrong.', 'Ada', '', 'password'],
    )
    signedIn = () => refusal(400, { error: 'A name.' })
    await fill('right', '')
    expect([typed('password'), page.focused?.props.name]).toEqual(['right', 'name'])
  })

  test('counts down while there were too many attempts', async () => {
    await open()
    const limited = refusal(429)
    limited.response.headers.set('retry-after', '3')
    signedIn = () => limited
    await fill('right')
    const button = () => [shown(byId('sign-in')), byId('sign-in')!.props.disabled]
    expect([...button(), problem()]).toEqual([
      'Try again in 3 s', true, 'There were too many attempts to sign in from your address.',
    ])
    await pass(1000)
    expect(button()).toEqual(['Try again in 2 s', true])
    await pass(2000)
    expect([...button(), problem()]).toEqual(['Sign in', undefined, undefined])
  })

  test('shows that it waits, and that the server cannot be reached', async () => {
    await open()
    const answer = gate<undefined>()
    signedIn = () => answer.promise.then(noAnswer)
    await fill('right')
    expect(byId('sign-in')!.props.disabled).toBe(true)
    answer.resolve(undefined)
    await pass()
    expect([byId('sign-in')!.props.disabled, problem()]).toEqual([undefined, 'The server cannot be reached.'])
  })

  test('says so when the browser does not keep the session, or the person may not look', async () => {
    await open()
    signedIn = () => ({})
    await fill('right')
    expect(problem()).toContain('your browser did not keep the session. Open this site by https')
    session = { ...SIGNED_OUT, refused: 'You are on no list.' }
    await fill('right')
    expect(problem()).toBe('You are on no list.')
  })

  test('that nobody can tell how to sign in asks again when that is pressed, and has the focus then', async () => {
    session = noAnswer()
    await mount(SignInForm, { to: '/' })
    expect(problem()).toBe('The server cannot be reached.')
    session = SIGNED_OUT
    await press('Try again')
    expect([problem(), page.focused?.props.name]).toEqual([undefined, 'name'])
  })

  test('leads to a platform and back, in a tab of its own where the page stays', async () => {
    await open()
    expect(byId('sign-in-discord')!.props).toMatchObject({ to: '/api/auth/discord?to=%2Fstatus', external: '' })
    await mount(SignInForm, { to: '/x', aside: true })
    expect(page.root.querySelectorAll('[data-testid=sign-in-discord]').at(-1)!.props.target).toBe('_blank')
  })
})

describe('the page', () => {
  test.each(['expired', 'cancelled', 'not-a-member', 'unavailable'])('explains coming back as %s', async (problem) => {
    await navigateTo(`/sign-in?problem=${problem}`)
    await mount(SignInPage)
    expect(String(page.root.querySelector('SignInForm')!.props.said).length).toBeGreaterThan(40)
  })

  test('explains nothing that is no problem, and leads nowhere but to this site', async () => {
    await navigateTo('/sign-in?problem=toString&to=//evil.example')
    await mount(SignInPage)
    expect(page.root.querySelector('SignInForm')!.props).toMatchObject({ said: undefined, to: '/' })
  })

  test('of a tab that was opened beside a page closes once somebody is signed in', async () => {
    session = SIGNED_IN
    useState('sign-in', () => SIGNED_IN)
    await navigateTo('/sign-in?done')
    await mount(SignInPage)
    expect(site.visited.at(-1)).toBe('(closed)')
  })
})

describe('whoever opens a page', () => {
  const through = async (path: string, matched: object[] = [{}]) => {
    await navigateTo(path)
    Object.assign(route, { matched })
    site.visited.splice(0)
    await signInMiddleware(route as never, route as never)
    return site.visited
  }

  test.each([
    ['/submissions/x?tab=history', null, ['/sign-in?to=%2Fsubmissions%2Fx%3Ftab%3Dhistory']], ['/', null, ['/sign-in']],
    ['/', SIGNED_IN, []], ['/sign-in?to=/status', SIGNED_IN, ['/status']],
    ['/sign-in?to=//evil.example', SIGNED_IN, ['/']],
    ['/sign-in?to=/status&done', SIGNED_IN, []], ['/sign-in', null, []],
  ])('%s goes where it should: %#', async (path, viewer, visited) => {
    session = viewer ?? SIGNED_OUT
    expect(await through(path)).toEqual(visited)
  })

  test('that does not exist is asked nothing, and one that cannot be told stays', async () => {
    expect(await through('/nowhere', [])).toEqual([])
    expect(site.asked).toEqual([])
    session = away()
    expect(await through('/status')).toEqual([])
  })
})

describe('a session that ended', () => {
  test('is asked for over the page, which goes on once somebody signed in, there or elsewhere', async () => {
    useState<object>('sign-in', () => SIGNED_OUT)
    await mount(SignInDialog)
    let isEnded = true
    site.answer = ({ path, body }) => path === '/api/auth/session'
      ? session
      : isEnded ? refusal(401, { code: 'SIGN_IN_REQUIRED' }) : { did: body }
    const asked = askOps('/api/submissions/x/decision', { action: 'spam' })
    await pass()
    expect(page.root.querySelector('UModal')!.props).toMatchObject({ open: true, title: 'Your session has ended' })
    session = SIGNED_IN
    isEnded = false
    await pass(1500)
    expect(await asked).toEqual({ did: { action: 'spam' } })
    await pass()
    expect(page.root.querySelector('UModal')).toBeNull()
    const count = site.asked.length
    await pass(5000)
    expect(site.asked).toHaveLength(count)
  })

  test('and cannot be asked for is said so in the dialog', async () => {
    useState<object>('sign-in', () => SIGNED_IN)
    await mount(SignInDialog)
    site.answer = ({ path }) => path === '/api/auth/session' ? noAnswer() : refusal(401, { code: 'SIGN_IN_REQUIRED' })
    void askOps('/api/submissions?limit=1')
    await pass(1500)
    expect(shown()).toContain('The server cannot be reached. Asking again…')
    site.answer = ({ path }) => path === '/api/auth/session' ? { ...SIGNED_IN, viewer: {} } : {}
    await pass(1500)
    expect(page.root.querySelector('UModal')).toBeNull()
  })
})

test('nobody signs out twice by pressing again, and a failure is told', async () => {
  session = SIGNED_IN
  useState('sign-in', () => SIGNED_IN)
  await mount(AccountMenu)
  await press('account')
  const answer = gate<undefined>()
  signedIn = () => answer.promise.then(away)
  for (const _ of [1, 2]) await press('Sign out')
  answer.resolve(undefined)
  await pass()
  expect([site.asked.length, site.toasts.length]).toEqual([1, 1])
  signedIn = () => ({})
  await press('Sign out')
  expect([site.visited.at(-1), useSignIn().state.value]).toEqual(['/sign-in', null])
})

test('who looks is asked for again until it is known', async () => {
  session = { ...SIGNED_IN, viewer: { role: null } }
  useState<object | null>('sign-in', () => null)
  const { decides, unsure } = await use(() => {
    useWhoLooks()
    return useSignIn()
  })
  expect([decides.value, unsure.value]).toEqual([false, true])
  session = SIGNED_IN
  await pass(3000)
  expect([decides.value, unsure.value]).toEqual([true, false])
})
