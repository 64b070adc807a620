declare module 'wink-porter2-stemmer' {
  /** The stem of an English word in lower case, by the Snowball algorithm Porter2. */
  export default function stem(word: string): string
}
