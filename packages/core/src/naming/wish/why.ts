// Why a tool has its name: stored with each assignment, explained on demand (RES-5).

import { quoteText } from "../../names/escape-text.js";

export type Why =
  | { readonly kind: "wish" }
  | { readonly kind: "fitted"; readonly wish: string }
  | { readonly kind: "unrepeated"; readonly wish: string }
  | { readonly kind: "cut"; readonly wish: string }
  | { readonly kind: "numbered"; readonly wish: string; readonly takenBy: string }
  | { readonly kind: "locked"; readonly wish: string }
  | { readonly kind: "pinned" };

/** @example explainWhy({ kind: "pinned" }); // "pinned by the operator" */
export function explainWhy(why: Why): string {
  switch (why.kind) {
    case "wish":
      return "the name its style gives it";
    case "fitted":
      return `${quoteText(why.wish)} with the characters this profile takes`;
    case "unrepeated":
      return `${quoteText(why.wish)} is too long; the tool's own name already says whose it is`;
    case "cut":
      return `${quoteText(why.wish)} is too long; cut, with a digest of the identity`;
    case "numbered":
      return `${quoteText(why.wish)} is taken by ${quoteText(why.takenBy)}; numbered`;
    case "locked":
      return `given out before and kept by the lock; today it would be ${quoteText(why.wish)}`;
    case "pinned":
      return "pinned by the operator";
  }
}
