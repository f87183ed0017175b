import { type Catalogue, catalogue, messageOf } from "../core/index.ts";

const entries = {
  E_OUTBOUND_URL: {
    status: 422,
    message: (problem: string): string => `The URL ${problem}.`,
  },
  E_OUTBOUND_ADDRESS: {
    status: 422,
    message: (host: string): string =>
      `The host ${JSON.stringify(host)} has no public address. OUTBOUND_ALLOWED_ORIGINS can allow its origin.`,
  },
  E_OUTBOUND_UNAVAILABLE: {
    status: 502,
    message: (host: string, cause: unknown): string => `The request to ${host} failed: ${messageOf(cause)}.`,
  },
  E_OUTBOUND_SIZE: {
    status: 502,
    message: (host: string, maxBytes: number): string =>
      `The response of ${host} has more than ${maxBytes} bytes. Raise maxBytes, if the host may send that much.`,
  },
};

/** Error catalogue of the module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
