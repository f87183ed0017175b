/** Lines of the files of a project, to find out who wrote them. */
export type Files = Readonly<Record<string, string>>;

const linesOf = (text = ""): readonly string[] => text.split("\n").filter((line) => line.trim() !== "");

/** Counts lines that generators wrote, by file. */
export class GeneratedLines {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Adds the lines that a command has added to the files of a project. */
  add(before: Files, after: Files): void {
    for (const [path, text] of Object.entries(after)) {
      if (before[path] === text) continue;
      const counts = this.#counts.get(path) ?? new Map<string, number>();
      for (const line of linesOf(text)) counts.set(line, (counts.get(line) ?? 0) + 1);
      for (const line of linesOf(before[path])) counts.set(line, Math.max((counts.get(line) ?? 0) - 1, 0));
      this.#counts.set(path, counts);
    }
  }

  /** Returns the part of the lines of `files`, without empty ones, that generators wrote. */
  shareOf(files: Files): number {
    let [total, generated] = [0, 0];
    for (const [path, text] of Object.entries(files)) {
      const left = new Map(this.#counts.get(path));
      for (const line of linesOf(text)) {
        total += 1;
        const count = left.get(line) ?? 0;
        if (count > 0) generated += 1;
        left.set(line, count - 1);
      }
    }
    return generated / total;
  }
}
