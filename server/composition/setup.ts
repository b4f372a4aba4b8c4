import type { Setup } from '../../shared/types/setup'
import { checkConfig, type Config } from '../config'
import { platforms } from '../platforms/registry'

/** What the set-up page shows. */
export function readSetup({ siteUrl, platforms: settings }: Config): Setup {
  const guides = platforms.filter(({ needs }) => needs.length > 0).map(({ key, label, icon, about, needs, setup }) => (
    { key, label, icon, about, required: needs, steps: setup(siteUrl, settings[key]) }
  ))
  return { siteUrl, config: checkConfig(), platforms: guides }
}
