declare module 'wink-porter2-stemmer' {
  /** Returns the stem of a lower-case English word, by the Snowball algorithm Porter2. */
  export default function stem(word: string): string
}
