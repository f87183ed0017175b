import { Decimal } from "limmat";

/** Shows an amount in the currency of the shop. */
export const money = Decimal.moneyFormat("CHF", "en-CH");
