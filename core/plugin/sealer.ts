/** Encrypts what has to be given back, unlike tokens, of which a hash is kept. */
export interface Sealer {
  /** @param place what the text belongs to; elsewhere it cannot be opened. */
  seal(text: string, place: string): string
  /** Null when it was sealed with another key, or for another place. */
  open(sealed: string, place: string): string | null
}
