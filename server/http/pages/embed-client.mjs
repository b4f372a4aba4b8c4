/**
 * Sends a website's forms to this service without leaving the page. Browsers run the text of this function, so it uses
 * nothing else of this module. It adds no styles, because a strict policy of the website would refuse them.
 *
 * @param settings see `embedScript`
 */
export function enhance({ language, redirect, origins, texts, errors }) {
  const endpoint = new URL('.', document.currentScript.src).href
  const attempts = new WeakMap()
  const randomId = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), part => part.toString(36)).join('-')
  // An input named `elements` or `reset` hides the form's own member of that name.
  const partsOf = (form, selector) => Array.from(document.querySelectorAll(selector)).filter(part => part.form === form)
  // The server writes `a.b` for a field named `a[b]`, as in PHP.
  const keyOf = name => name.split(/[[\]]+/).filter(Boolean).join('.')

  // Listening on the document also serves forms that are inserted later.
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event
    const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? ''
    const method = submitter?.getAttribute('formmethod') ?? form.getAttribute('method') ?? ''
    const { origin, pathname } = new URL(action, document.baseURI)
    if (event.defaultPrevented || method.toLowerCase() !== 'post') return
    if (origin + pathname.replace(/\/?$/, '/') !== endpoint) return
    event.preventDefault()
    // Our human check sends the form again once it is done.
    const isChecking = form.querySelector('altcha-widget')?.getState?.() === 'verifying'
    if (!isChecking && form.getAttribute('aria-busy') !== 'true') void send(form, new FormData(form, submitter))
  })

  async function send(form, data) {
    const buttons = partsOf(form, 'button, input').filter(part => /submit|image/.test(part.type) && !part.disabled)
    const focused = document.activeElement
    const status = form.querySelector('[role=status]') ?? form.appendChild(document.createElement('p'))
    status.setAttribute('role', 'status')
    const say = (state, text) => Object.assign(status, { textContent: text }).setAttribute('data-state', state)
    const attempt = attemptOf(form, data)
    attempt.undo.splice(0).forEach(undo => undo())
    say('sending', '')
    form.setAttribute('aria-busy', 'true')
    for (const button of buttons) button.disabled = true
    let isTokenUsed = false
    try {
      const response = await fetch(`${endpoint.slice(0, -1)}?lang=${language}`, {
        method: 'POST', body: data, headers: { 'Accept': 'application/json', 'Idempotency-Key': attempt.key },
      })
      const { code, fields = {} } = await response.json().catch(() => ({}))
      isTokenUsed = response.ok || code === 'HUMAN_CHECK_FAILED'
      if (response.ok || response.status === 422) attempt.content = undefined
      if (response.ok) {
        HTMLFormElement.prototype.reset.call(form)
        say('sent', `${texts.thanks} ${texts.received}`)
        const next = String(data.get('_next') ?? '').trim()
        const target = origins.some(origin => `${next}/`.startsWith(`${origin}/`)) ? next : redirect
        if (target) location.assign(target)
      }
      else {
        const seconds = response.headers.get('Retry-After')
        const general = seconds ? texts.later : response.status < 500 ? texts.refused : texts.broken
        const others = Object.entries(fields).filter(([key, text]) => !mark(form, key, text, attempt.undo))
        const text = (errors[code] ?? general).replace('{seconds}', seconds)
        say('failed', others.length === 0
          ? text.replace(/\s?:$/, '.')
          : [text, ...others.map(problem => problem.join(': '))].join(' '))
      }
    }
    catch {
      say('failed', texts.offline)
    }
    form.removeAttribute('aria-busy')
    for (const button of buttons) button.disabled = false
    // Browsers take the focus from a disabled button.
    const [wrong] = attempt.undo.length > 0 ? partsOf(form, '[aria-invalid=true]') : []
    if (wrong || document.activeElement === document.body) (wrong ?? focused).focus()
    if (isTokenUsed) renewCheck(form)
  }

  /** Lets the widget of a human check make a new token: each works once. */
  function renewCheck(form) {
    const widget = form.querySelector('.cf-turnstile')
    if (widget) self.turnstile?.reset(widget)
    form.querySelector('altcha-widget')?.reset?.()
  }

  /** Keeps the idempotency key until the content changes: a form is not stored twice if the answer was lost. */
  function attemptOf(form, data) {
    const content = JSON.stringify(Array.from(data).map(([name, value]) => (
      /^(cf-turnstile-response|altcha)$/.test(name) ? name : [name, value.name ?? value, value.size]
    )))
    const attempt = attempts.get(form) ?? { undo: [] }
    attempts.set(form, attempt)
    return attempt.content === content ? attempt : Object.assign(attempt, { content, key: randomId() })
  }

  /** Shows the error beside the input; returns false if there is no such input. */
  function mark(form, key, text, undo) {
    const inputs = partsOf(form, '[name]').filter(({ name, type }) => (
      type !== 'hidden' && (name === key || keyOf(name) === key)
    ))
    const [last] = inputs.slice(-1)
    if (!last) return false
    const note = document.createElement('span')
    Object.assign(note, { id: randomId(), className: 'problem', textContent: ` ${text}` })
    const labels = [last.closest('label'), ...last.labels ?? []]
    ;(labels.find(label => label?.contains(last) || label === last.nextElementSibling) ?? last).after(note)
    undo.push(() => note.remove())
    for (const input of inputs) {
      const described = input.getAttribute('aria-describedby') ?? ''
      input.setAttribute('aria-describedby', `${described} ${note.id}`.trim())
      input.setAttribute('aria-invalid', 'true')
      undo.push(() => input.removeAttribute('aria-invalid'), () => input.setAttribute('aria-describedby', described))
    }
    return true
  }
}
