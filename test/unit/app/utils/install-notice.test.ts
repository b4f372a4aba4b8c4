import { describe, expect, test } from 'vitest'
import { installNotice } from '../../../../app/utils/install-notice'

describe('the notice of an installation', () => {
  test('names the workspace, and how a form has its cards there', () => {
    const notice = installNotice({ install: 'done', workspace: 'T0123456789' })
    expect(notice).toMatchObject({ color: 'success', title: 'The app is installed in the workspace T0123456789' })
    expect(notice!.description).toContain('slack: \'T0123456789:C0123456789\'')
  })

  test.each(['cancelled', 'expired', 'failed'])('says that it was %s', (install) => {
    expect(installNotice({ install })).toMatchObject({ title: 'The app was not installed' })
  })

  test.each([
    ['nothing', {}],
    ['an end that there is not', { install: 'hacked' }],
    ['a name of everything', { install: 'constructor' }],
    ['words instead of a workspace', { install: 'done', workspace: 'call 0800 123' }],
    ['two workspaces', { install: 'done', workspace: ['T0123456789', 'T9876543210'] }],
  ])('is not there for an address with %s', (_, query) => expect(installNotice(query)).toBeNull())
})
