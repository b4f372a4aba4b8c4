import { beforeEach } from 'vitest'
import { defineComponent } from 'vue'
import DecisionButtons from '../../../app/components/decision/decision-buttons.vue'
import DecisionDialog from '../../../app/components/decision/decision-dialog.vue'
import DecisionDoneNotice from '../../../app/components/decision/done-notice.vue'
import DecisionEditForm from '../../../app/components/decision/edit-form.vue'
import OpsActionButton from '../../../app/components/ops/action-button.vue'
import OpsAllDone from '../../../app/components/ops/all-done.vue'
import OpsSubmissionEnded from '../../../app/components/ops/submission/submission-ended.vue'
import OpsSubmissionHeader from '../../../app/components/ops/submission/submission-header.vue'
import OpsSubmissionNotes from '../../../app/components/ops/submission/submission-notes.vue'
import OpsSubmissionView from '../../../app/components/ops/submission/submission-view.vue'
import OpsWaitingLine from '../../../app/components/ops/waiting-line.vue'
import { useQueueRows } from '../../../app/composables/list/use-queue-rows'
import { useKeys } from '../../../app/composables/ops/use-commands'
import SubmissionPage from '../../../pages/submissions/[id].vue'
import { byId, mount, shown } from './mounted'
import { navigateTo, route, useState } from './nuxt'
import { CONTEXT, row, serve } from './service'

const PARTS = {
  DecisionButtons, DecisionDialog, DecisionEditForm, OpsActionButton, OpsAllDone, OpsSubmissionEnded,
  OpsSubmissionHeader, OpsSubmissionNotes, OpsSubmissionView, OpsWaitingLine,
}
const Keys = defineComponent(() => {
  useKeys()
  return () => null
})

/** Gives each test the parts that every page has: a signed-in reviewer, keyboard shortcuts and the notice. */
export function useReviewer() {
  beforeEach(async () => {
    useState('sign-in', () => ({ viewer: { role: 'reviewer' }, takes: true, platforms: [] }))
    useState('ops-context', () => CONTEXT)
    await mount(Keys)
    await mount(DecisionDoneNotice)
  })
}

/** Opens the page of a submission; resolves with a function that leaves it. */
export async function openPage(id: string) {
  await navigateTo(`/submissions/${id}`)
  return mount(SubmissionPage, {}, PARTS)
}

/** Puts these submissions into the list, in this order, and opens the page of the first one. */
export async function open(...submissions: SubmissionDetails[]) {
  const service = serve(...submissions)
  useQueueRows().value = { rows: submissions.map(({ id }) => row(id)), cursor: null, filter: {} }
  return { service, leave: await openPage(submissions[0]!.id) }
}

/** Returns the id of the submission that is shown. */
export const shownId = () => /submissions\/(.+)/.exec(route.fullPath)?.[1]
/** Returns the notice about the last decision. */
export const notice = () => shown(byId('said'))
