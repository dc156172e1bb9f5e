interface Place {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Place[];
}

export const sitePages: readonly Place[];
