// The keys of the review queue, in one list: for what they do, and for what is said of them.

export type Move = "next" | "previous" | "choose" | "accept" | "reject" | "edit" | "undo";

export const REVIEW_KEYS: readonly { keys: string[]; does: string; move: Move }[] = [
  { keys: ["j", "ArrowDown"], does: "Next", move: "next" },
  { keys: ["k", "ArrowUp"], does: "Previous", move: "previous" },
  { keys: ["x", " "], does: "Choose, or not", move: "choose" },
  { keys: ["a"], does: "Accept, merge, or keep", move: "accept" },
  { keys: ["r"], does: "Reject, or forget", move: "reject" },
  { keys: ["e"], does: "Edit the words before accepting", move: "edit" },
  { keys: ["u"], does: "Undo what was just decided", move: "undo" },
];
