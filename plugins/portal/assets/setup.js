// Takes the code out of the fragment of a set-up link, which browsers do not send, and puts it into the form.
const field = document.querySelector('input[name="code"]')
const code = location.hash.slice(1)
if (field && code && !code.startsWith('content')) {
  field.value = code
  history.replaceState(null, '', location.pathname)
  // The way to another language comes back here, and browsers keep a fragment through redirects.
  for (const link of document.querySelectorAll('.languages a')) link.hash = code
}
