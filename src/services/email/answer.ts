/** What a server or provider answered, fit for a message: one line, not too long. */
export function oneLine(answer: string): string {
  return answer
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, 500);
}
