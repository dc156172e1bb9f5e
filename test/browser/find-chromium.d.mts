/** @throws Error that says what to do, where there is none. */
export declare function findChromium(): Promise<{
  readonly executablePath: string;
  readonly args: readonly string[];
}>;
