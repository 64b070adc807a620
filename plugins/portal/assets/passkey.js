// Asks the browser for a passkey, and sends its answer with the form that the button stands in.
for (const part of document.querySelectorAll('[data-passkey]')) {
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) continue
  const { kind, options } = JSON.parse(part.dataset.passkey)
  const [button, problem] = part.querySelectorAll('button, [role=alert]')
  const ask = {
    create: () =>
      navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
    get: () => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  }
  button.addEventListener('click', async () => {
    problem.hidden = true
    try {
      const answer = await ask[kind]()
      part.querySelector('input').value = JSON.stringify(answer)
      part.closest('form').submit()
    } catch {
      problem.hidden = false
    }
  })
  part.hidden = false
}
