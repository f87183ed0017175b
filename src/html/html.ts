import { type HtmlValue, type Printer, printText } from "./print.ts";
import { type Html, unsafeHtml } from "./safe.ts";
import { HtmlStream, type StreamValue } from "./stream.ts";
import { type Template, understand } from "./template.ts";

/** The type of `html`. */
export interface HtmlTag {
  (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html;
  /**
   * The same template, sent while its values are still being awaited: between tags it also takes promises, lists that
   * grow (async iterables) and other streams.
   *
   * @example
   * Web.Response.html(html.stream`<h1>Report</h1>${rows()}`);
   */
  stream(strings: TemplateStringsArray, ...values: readonly StreamValue[]): HtmlStream;
}

/**
 * Makes HTML from a template, each value escaped for the place where it stands: text, attribute, URL, style, script.
 *
 * Templates nest, lists print their items, `undefined`, `null` and `false` print nothing. An attribute that may be
 * absent is written `?name=${value}`, without quotes. A place where no value is safe is an error when the template is
 * first used.
 *
 * @throws E_HTML_POSITION and E_HTML_UNFINISHED for a template, E_HTML_VALUE for a value that cannot be printed.
 * @example
 * html`<li class="${kind}"><a href="/todos/${todo.id}">${todo.title}</a> ${todo.done && html`<b>done</b>`}</li>`
 */
export const html: HtmlTag = Object.assign(
  (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
    unsafeHtml(print(templateOf(strings), values)),
  {
    stream: (strings: TemplateStringsArray, ...values: readonly StreamValue[]): HtmlStream =>
      new HtmlStream(templateOf(strings), values),
  },
);

const templates = new WeakMap<TemplateStringsArray, Template>();

function templateOf(strings: TemplateStringsArray): Template {
  let template = templates.get(strings);
  if (template === undefined) {
    template = understand(strings);
    templates.set(strings, template);
  }
  return template;
}

function print({ parts, printers }: Template, values: readonly HtmlValue[]): string {
  let printed = parts[0] as string;
  for (let index = 0; index < values.length; index += 1) {
    const printer = printers[index] as Printer;
    const value = values[index];
    // The common case, called by name so that the engine can inline it.
    printed += printer === printText ? printText(value) : printer(value);
    printed += parts[index + 1] as string;
  }
  return printed;
}
