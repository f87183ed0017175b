type Explanation = readonly [title: string, detail: string];

/** Texts of responses that the framework writes, such as error pages and problem documents, in one language. */
export interface ResponseTexts {
  /** Title and detail of each status. Others below 500 have those of 400, others those of 500. */
  readonly statuses: { readonly 400: Explanation; readonly 500: Explanation } & Readonly<
    Record<number, Explanation | undefined>
  >;
  /** Link of an error page. */
  readonly startPage: string;
  /** Words before the identifier of the request. */
  readonly request: string;
}

/** Texts of responses. */
export const responseTexts: ResponseTexts = {
  statuses: {
    400: ["Bad request", "The browser sent a request that this site cannot read."],
    401: ["Please log in", "This page is for logged-in users."],
    403: ["Not allowed", "You may not do this. If you sent a form, go back, reload the page and send it again."],
    404: ["Page not found", "There is nothing at this address. It may have moved, or never existed."],
    405: ["Not possible here", "This address exists, but it does not support this action."],
    406: ["Unknown format", "This page does not exist in the format that was asked for."],
    408: ["That took too long", "The request did not arrive in time. Please try again."],
    409: ["Not possible now", "Someone else has changed this in the meantime. Reload the page and try again."],
    412: ["Changed in the meantime", "Someone else has changed this in the meantime. Reload the page and try again."],
    413: ["Too large", "What you sent is larger than this site accepts."],
    414: ["Address too long", "The address of this request is longer than this site accepts."],
    415: ["Unknown format", "What you sent has a format that this page does not accept."],
    417: ["Not possible here", "The request expects something that this site does not offer."],
    421: ["Wrong host", "This site does not answer under this host name."],
    422: ["Please check what you entered", "A value in the form was not accepted."],
    428: ["Please reload the page", "The form does not say which version it changes. Reload its page and try again."],
    429: ["Too many requests", "Please wait a moment before you try again."],
    431: ["Request too large", "The headers of the request, cookies for example, are larger than this site accepts."],
    500: ["Something went wrong", "The error has been recorded. Please try again in a moment."],
    501: ["Not possible here", "This site does not support this kind of request."],
    503: ["Back in a moment", "This site is busy or being updated. Please try again shortly."],
  },
  startPage: "Go to the start page",
  request: "Request",
};
