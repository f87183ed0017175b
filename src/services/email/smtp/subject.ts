const bytesPerWord = 45;

/**
 * A subject as the library may write it. What looks like an encoded word (RFC 2047 §2) would be decoded by mail programs,
 * line breaks and all: it is encoded, so that people see what was typed.
 */
export function safeSubject(subject: string): string {
  if (!subject.includes("=?")) return subject;
  const words: string[] = [""];
  for (const letter of subject) {
    const last = words.at(-1) ?? "";
    if (Buffer.byteLength(last + letter) > bytesPerWord) words.push(letter);
    else words[words.length - 1] = last + letter;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}
