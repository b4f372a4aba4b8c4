/**
 * Values of each text in `locales/en.json`. Written by
 * `LOCALES=write npx vitest run test/unit/shared/texts.test.ts`.
 */
export interface TextValues {
  'visitor.thanks': never
  'visitor.received': never
  'visitor.reference': never
  'visitor.back': 'site'
  'visitor.problem': never
  'visitor.nothingLost': never
  'visitor.later': 'seconds'
  'visitor.human': never
  'visitor.large': never
  'visitor.files': never
  'visitor.filesLarge': never
  'visitor.fileType': never
  'visitor.unreadable': never
  'visitor.empty': never
  'visitor.refused': never
  'visitor.broken': never
  'visitor.offline': never
  'visitor.owner': never
  'visitor.fields': never
  'visitor.send': never
  'visitor.trap': never
  'visitor.optional': never
  'visitor.attach': never
  'field.required': never
  'field.unknown': never
  'field.text': never
  'field.email': never
  'field.url': never
  'field.tel': never
  'field.number': never
  'field.integer': never
  'field.checkbox': never
  'field.date': never
  'field.select': never
  'field.checkboxes': never
  'field.file': never
  'field.tooShort': 'limit'
  'field.tooLong': 'limit'
  'field.tooLow': 'limit'
  'field.tooHigh': 'limit'
  'card.title.new': never
  'card.title.failed': never
  'card.title.forwarding': never
  'card.title.forwarded': never
  'card.title.spam': never
  'card.title.expired': never
  'card.title.erased': never
  'card.title.gone': never
  'card.title.ofForm': 'form' | 'title'
  'card.action.forward.label': never
  'card.action.resend.label': never
  'card.action.edit.label': never
  'card.action.edit.title': never
  'card.action.spam.label': never
  'card.action.undo.label': never
  'card.action.reopen.label': never
  'card.action.take.label': never
  'card.action.hand-back.label': never
  'card.retry': 'deliveries'
  'card.list.and': 'last' | 'some'
  'card.list.more': 'count' | 'some'
  'card.list.others': never
  'card.list.unknown': never
  'card.list.both': never
  'card.list.all': never
  'card.delivery.email': never
  'card.delivery.endpoint': never
  'card.deliveryInText.email': never
  'card.deliveryInText.endpoint': never
  'card.decided.forwarded': 'at' | 'name' | 'platform'
  'card.decided.edited': 'at' | 'name' | 'platform'
  'card.decided.spam': 'at' | 'name' | 'platform'
  'card.revoked.forward': 'at' | 'name' | 'platform'
  'card.revoked.spam': 'at' | 'name' | 'platform'
  'card.noted': 'at' | 'name' | 'note' | 'platform'
  'card.erased': 'at' | 'name' | 'platform'
  'card.expired': 'days'
  'card.expiredAt': 'at' | 'days'
  'card.reminder': 'at'
  'card.gone': never
  'card.edited': 'fields'
  'card.sentTo': 'targets'
  'card.beingSentTo': 'targets'
  'card.goesToAt': 'at' | 'targets'
  'card.sentToAt': 'at' | 'targets'
  'card.sentChanged': 'at' | 'targets'
  'card.sentBounced': 'at' | 'targets'
  'card.whichSender': 'count'
  'card.corrects': 'at' | 'targets'
  'card.confirmed': 'at'
  'card.failed': 'delivery' | 'reason'
  'card.failedNext': 'at' | 'delivery' | 'reason'
  'card.forwardRest': 'delivered' | 'missing' | 'receivers'
  'card.sendRest': 'delivered' | 'missing' | 'receivers'
  'card.decideAgain': never
  'card.withoutFile': 'delivery'
  'card.dataErasedOn': 'at'
  'card.earlierDeleted': 'at'
  'card.holder': 'at' | 'name' | 'platform'
  'card.assigned': 'by' | 'name'
  'card.emailStatus.sent': never
  'card.emailStatus.delayed': never
  'card.emailStatus.delivered': never
  'card.emailStatus.complained': never
  'card.emailStatus.suppressed': never
  'card.emailStatus.failed': never
  'card.emailStatus.bounced': never
  'card.emailStatus.withReason': 'reason' | 'status'
  'card.emailStatus.note': 'delivery' | 'status'
  'card.emailStatus.news': 'delivery' | 'status' | 'targets'
  'card.emailStatus.dataGone': never
  'card.field.subject': never
  'card.field.technical': never
  'card.field.picture': 'size' | 'type'
  'card.field.file': 'size' | 'type'
  'card.field.replyTo': never
  'card.field.edited': 'label'
  'card.field.was': 'value'
  'card.field.yes': never
  'card.field.no': never
  'card.field.noName': never
  'card.file.open': 'size' | 'type'
  'card.file.openNumbered': 'number' | 'size' | 'type'
  'card.file.picture': 'number'
  'card.file.bytes': 'count'
  'card.empty': never
  'card.moreFields': 'count'
  'card.shortened': 'count'
  'card.moreFiles': 'count'
  'card.openWhole': 'omissions'
  'card.notShown': 'omissions'
  'card.refusedWhole': 'id' | 'platform'
  'card.open': never
  'card.openCard': never
  'card.openOverview': never
  'card.onTheWeb': 'button'
  'card.notice.backlog': 'count'
  'card.notice.held': 'count'
  'card.notice.closed': 'reason' | 'room'
  'card.notice.channel': 'channel' | 'platform'
  'card.notice.test': 'at'
  'card.modal.forward': never
  'card.modal.send': never
  'card.modal.cancel': never
  'card.modal.close': never
  'card.modal.ok': never
  'card.modal.emptyForm': never
  'card.modal.kept': 'names'
  'card.modal.keptLink': 'names' | 'url'
  'card.modal.sameAddresses': 'count'
  'card.modal.addresses': 'count'
  'card.modal.noAddress': never
  'card.modal.tooManyNew': 'count'
  'card.modal.tooMany': 'count'
  'card.modal.badAddress': never
  'card.modal.badList': 'example'
  'card.modal.badObject': 'example'
  'card.modal.badLines': 'names'
  'card.refusal.title.unlisted': never
  'card.refusal.title.unknown': never
  'card.refusal.title.taken': never
  'card.refusal.title.elsewhere': never
  'card.refusal.title.unchanged': never
  'card.refusal.onlyThese': 'names'
  'card.refusal.peopleUnknown': never
  'card.refusal.elsewhere': never
  'card.refusal.taken': 'at' | 'name' | 'platform'
  'card.refusal.decideAnyway': never
  'card.refusal.takenUntil': 'at' | 'name' | 'platform' | 'until'
  'card.refusal.notYours': 'at' | 'name' | 'platform'
  'card.refusal.justTaken': never
  'card.refusal.takeOff': never
  'card.refusal.undone': never
  'card.refusal.nothingToResend': never
  'card.refusal.notBounced': never
  'card.refusal.late': 'days'
  'card.refusal.waiting': never
  'card.refusal.beingSent': never
  'card.refusal.sentOn': 'at'
  'card.refusal.dataErased': 'outcome'
  'card.refusal.gone': never
  'card.refusal.failed': never
  'card.refusal.notSaved': never
  'card.refusal.unreadable': never
  'card.form.closed': never
  'card.form.done': never
  'card.form.editAgain': never
  'card.form.notSent': never
  'card.form.tooLong': 'count'
  'card.form.saveFailed': never
  'card.form.pick': 'all' | 'count'
  'card.form.page': 'page' | 'pages'
  'card.form.changed': 'names'
  'card.form.unchanged': never
  'card.form.menu': 'from' | 'names' | 'to'
  'card.form.emptyValue': never
  'card.form.fieldTooLong': 'name'
  'card.form.fieldsTooLong': never
  'card.form.date': never
  'card.form.number': 'range'
  'card.form.wholeNumber': 'range'
  'card.form.fromTo': 'max' | 'min'
  'card.form.atLeast': 'min'
  'card.form.atMost': 'max'
  'email.heading': never
  'email.headingOfForm': 'form'
  'email.subjectFrom': 'name'
  'email.corrected': 'subject'
  'email.received': 'at'
  'email.submission': 'id'
  'email.correction': 'at'
  'email.empty': never
  'email.cut': 'all' | 'attachment' | 'count' | 'missing'
  'email.edited': never
  'email.was': 'value'
  'email.noName': never
  'email.attached': 'file'
  'email.lost': 'file'
  'email.linked': 'at' | 'file' | 'url'
  'email.tooLarge': 'file'
  'email.test.subject': never
  'email.test.text': never
}
