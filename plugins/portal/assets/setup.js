// Moves the code of a setup link from the URL's fragment, which browsers do not send, into the form.
const field = document.querySelector('input[name="code"]')
const code = location.hash.slice(1)
if (field && code && !code.startsWith('content')) {
  field.value = code
  history.replaceState(null, '', location.pathname)
  // Language links redirect back to this page, and browsers keep a fragment through redirects.
  for (const link of document.querySelectorAll('.languages a')) link.hash = code
}
