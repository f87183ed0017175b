import { suppressUnhandledRejection } from "../core/index.ts";
import { type HtmlValue, type Printer, printText } from "./print.ts";
import { type Html, unsafeHtml } from "./safe.ts";
import { HtmlStream, type StreamValue } from "./stream.ts";
import { parseTemplate, type Template } from "./template.ts";

/** Type of the `html` tag. */
export interface HtmlTag {
  (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html;
  /**
   * Streams the same template: sends each part as soon as the values before it are available. Between tags it also
   * accepts promises, async iterables and other streams.
   *
   * @example
   * Web.Response.html(html.stream`<h1>Report</h1>${rows()}`);
   */
  stream(strings: TemplateStringsArray, ...values: readonly StreamValue[]): HtmlStream;
}

/**
 * Makes HTML from a template. Escapes each value for its context: text, attribute, URL, style or script.
 *
 * Templates nest. Lists print their items. `undefined`, `null` and `false` print nothing. An optional attribute is
 * written `?name=${value}`, without quotes. A value in an unsafe position is an error when the template is first used.
 *
 * @throws E_HTML_POSITION and E_HTML_UNFINISHED for a template, E_HTML_VALUE for a value that cannot be printed.
 * @example
 * html`<li class="${kind}"><a href="/todos/${todo.id}">${todo.title}</a> ${todo.done && html`<b>done</b>`}</li>`
 */
export const html: HtmlTag = Object.assign(
  (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => {
    try {
      return unsafeHtml(printTemplate(cachedTemplate(strings), values));
    } catch (error) {
      // Such as promises of a list whose first one was refused.
      values.forEach(suppressUnhandledRejection);
      throw error;
    }
  },
  {
    stream: (strings: TemplateStringsArray, ...values: readonly StreamValue[]): HtmlStream =>
      new HtmlStream(cachedTemplate(strings), values),
  },
);

const templates = new WeakMap<TemplateStringsArray, Template>();

function cachedTemplate(strings: TemplateStringsArray): Template {
  let template = templates.get(strings);
  if (template === undefined) {
    template = parseTemplate(strings);
    templates.set(strings, template);
  }
  return template;
}

function printTemplate({ parts, printers }: Template, values: readonly HtmlValue[]): string {
  let printed = parts[0] as string;
  for (let index = 0; index < values.length; index += 1) {
    const printer = printers[index] as Printer;
    const value = values[index];
    // V8 can inline the direct call of the most frequent printer: a list of 10 items takes 0.75 of the time.
    printed += printer === printText ? printText(value) : printer(value);
    printed += parts[index + 1] as string;
  }
  return printed;
}
