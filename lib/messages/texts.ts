/**
 * A text in the forms that its language has for numbers, by the categories of the CLDR: English and
 * German have `one` and `other`, Arabic has all six.
 * https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html
 */
export type Plural<Other = string, Form = string> = Partial<Record<Intl.LDMLPluralRule, Form>> & {
  other: Other;
};

/**
 * The shape of a language's texts, after that of another: each names the same values. What is plural
 * there has forms of its own, and only `other` has to name `count`.
 */
export type Texts<T> = {
  [K in keyof T]: T[K] extends string
    ? NamesOf<T[K]>
    : T[K] extends Plural
      ? Plural<NamesOf<T[K]["other"]>, NamesOf<T[K]["other"], "count">>
      : Texts<T[K]>;
};

/** Any text that names the value. */
export type Naming<Name extends string> = `${string}{${Name}}${string}`;

/** Any text that names the same values, but for those left out. */
type NamesOf<Text, Left = never> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends Left ? string : Naming<Name>) & NamesOf<Rest, Left>
  : string;
