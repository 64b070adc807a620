/** Encrypts values that have to be returned later, unlike tokens, which are hashed. */
export interface Sealer {
  /** @param place what the text belongs to; decryption requires the same place */
  seal(text: string, place: string): string
  /** Returns null if the text was sealed with another key or for another place. */
  open(sealed: string, place: string): string | null
}
