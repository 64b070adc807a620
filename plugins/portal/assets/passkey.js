// Requests a passkey from the browser, and submits the button's form with the response.
for (const part of document.querySelectorAll('[data-passkey]')) {
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) continue
  const { kind, options } = JSON.parse(part.dataset.passkey)
  const [button, failed, known] = part.querySelectorAll('button, [role=alert]')
  const ask = {
    create: () =>
      navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
    get: () => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  }
  const answer = async () => {
    failed.hidden = known.hidden = true
    try {
      part.querySelector('input').value = JSON.stringify(await ask[kind]())
      part.closest('form').submit()
    } catch (error) {
      const problem = error.name === 'InvalidStateError' ? known : failed
      problem.hidden = false
    }
  }
  button.addEventListener('click', () => void answer())
  part.hidden = false
}
