/** Where a reader of the feed stands: after this change of this epoch. Callers do not look inside. */
export type FeedPosition = { epoch: string; number: number };

const POSITION = /^([0-9a-f]{12})-([0-9]{1,15})$/;

/**
 * A position as callers see it.
 *
 * @example writePosition({ epoch: "8f14e45fceea", number: 17 }); // "8f14e45fceea-17"
 */
export const writePosition = ({ epoch, number }: FeedPosition): string => `${epoch}-${number}`;

/** Parses {@link writePosition}; null if the text is not a position. */
export function readPosition(text: string): FeedPosition | null {
  const [, epoch, number] = POSITION.exec(text) ?? [];
  return epoch === undefined ? null : { epoch, number: Number(number) };
}
