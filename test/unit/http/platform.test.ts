import { expect, test } from 'vitest'
import { requireListener } from '../../../server/http/platform'
import { httpEvent } from './event'

const PLATFORMS = {
  talk: { definition: { label: 'Talk', hasSocket: true as const }, listener: 'a listener' },
  off: { definition: { label: 'Off', hasSocket: true as const }, listener: null },
  hooks: { definition: { label: 'Hooks' }, listener: null },
}

/** Returns the listener of a platform, or the refusal of the request. */
function listenerOf(platform: string): unknown {
  const event = httpEvent()
  event.context.params = { platform }
  try {
    return requireListener(event, key => PLATFORMS[key as keyof typeof PLATFORMS] ?? null)
  }
  catch (error) {
    return (error as { code: string }).code
  }
}

test('only a platform with a socket is asked for its listener, and says where it is not set up', () => {
  expect(['talk', 'off', 'hooks', 'nobody'].map(listenerOf)).toEqual(
    ['a listener', 'GATEWAY_NOT_CONFIGURED', 'NO_SUCH_ROUTE', 'NO_SUCH_ROUTE'],
  )
})
