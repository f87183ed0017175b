import { type Frame, isApplicationFrame, parseStack, sourceExcerpt } from "../../../core/stack.ts";

/** Lines of the project in a stack. */
export interface ProjectFrames {
  /** Frame to show first: the one that threw, or the innermost one of the project that called it; or `undefined`. */
  readonly main: Frame | undefined;
  /** True if the stack has middlewares that only passed the error on. They are not `main`. */
  readonly hasPassThrough: boolean;
}

/** Finds the lines of the project in a stack. A middleware that called the next handler is not to blame for its error. */
export function projectFrames(frames: readonly Frame[], root: string): ProjectFrames {
  const [innermost] = frames;
  const candidates = frames.filter((frame) => isApplicationFrame(frame, root));
  const main = candidates.find((frame) => frame === innermost || !isPassThrough(frame));
  return { main, hasPassThrough: candidates.some((frame) => frame !== innermost && isPassThrough(frame)) };
}

/** Returns the first line of the project in the stack of a declaration. */
export function declarationFrame(declaration: Error | undefined, root: string): Frame | undefined {
  return parseStack(declaration?.stack ?? "").find((frame) => isApplicationFrame(frame, root));
}

const maxLines = 100_000;

/**
 * Returns true if a frame is that of a middleware which calls the next handler: `await handler(request)`, or
 * `mapResponse(handler(request), …)`. Reads the source, because a stack has only positions: the called function is a parameter
 * of an outer function, and its argument a parameter of an inner one.
 */
function isPassThrough(frame: Frame): boolean {
  const lines = sourceExcerpt(frame, maxLines).map(({ text }) => text);
  const twoLines = lines.slice(frame.line - 1, frame.line + 1).join("\n");
  const call = twoLines.slice(frame.column - 1);
  const [, callee, argument] = /^(?:await\s+)?(?:[\w.]+\(\s*)*?(\w+)\(\s*(\w+)\s*[,.)]/.exec(call) ?? [];
  if (callee === undefined) return false;
  const parameters = String.raw`\b${callee}\b\s*(?::|\)|=>)[^]{0,1000}?\b${argument}\b\s*(?::[^()=]*)?\)?[^()=;]*(?:=>|\{)`;
  return new RegExp(parameters).test(lines.join("\n"));
}
