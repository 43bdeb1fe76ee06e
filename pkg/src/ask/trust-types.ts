import type { Span } from '../search-types.js';

/** Checks of a question before anything else happens with it. */
export interface GuardOptions {
  /**
   * The treatment of a question with markup, scripts or database commands in it. `flag`: a notice says so, and it is
   * answered. `block`: the run fails with `question-blocked`. Default: `flag`.
   */
  markup?: 'allow' | 'flag' | 'block' | undefined;
  /**
   * The treatment of a question that describes an emergency, such as chest pain now. `answer`: the message is the answer,
   * and no model is asked. `flag`: {@link Verdict.emergency} tells, and it is answered. Default: `answer` with the prompts'
   * preset `clinical`, else `off`.
   */
  emergency?: 'off' | 'flag' | 'answer' | undefined;
  /**
   * The words of an emergency's message, by {@link Emergency.category}, and `default` for all others. Default: words in
   * English that name no telephone number of any country.
   */
  messages?: Partial<Record<EmergencyCategory | 'default', string>> | undefined;
}

/** The kind of an emergency. More may be added. */
export type EmergencyCategory =
  | 'cardiac'
  | 'breathing'
  | 'stroke'
  | 'bleeding'
  | 'overdose'
  | 'self-harm'
  | 'anaphylaxis'
  | 'pregnancy'
  | 'child'
  | (string & {});

/** Personal data to find, and its treatment; see {@link AskOptions.pii}. */
export interface PiiOptions {
  /**
   * `redact`: models and services get placeholders such as `[NAME_1]`, the page what the person wrote. `flag`: everything
   * is sent as it is, and {@link AnswerGuard.pii} counts what was found. Default: `redact`.
   */
  mode?: 'off' | 'flag' | 'redact' | undefined;
  /** The kinds to find. Default: all but `DATE`, and but `IP` unless the prompts' preset is `clinical`. */
  kinds?: readonly PiiKind[] | undefined;
  /**
   * Patterns of your own, by the label of their placeholders, such as `{ STAFF: ['KH-#{6}'] }`. docs/privacy.md has their
   * syntax, which is that of no regular expression. Default: none.
   */
  patterns?: Record<string, readonly string[]> | undefined;
  /** Words and phrases that are personal, by label, such as the names of patients, in any case. Default: none. */
  words?: Record<string, readonly string[]> | undefined;
  /** Values that are never taken for personal, such as the name of your clinic. Default: none. */
  allow?: readonly string[] | undefined;
}

/** A kind of personal data, as its placeholders name it. Labels of your own may be added. */
export type PiiKind =
  | 'NAME'
  | 'EMAIL'
  | 'PHONE'
  | 'SSN'
  | 'NHS'
  | 'CARD'
  | 'IBAN'
  | 'MRN'
  | 'DOB'
  | 'DATE'
  | 'ADDRESS'
  | 'IP'
  | 'URL'
  | 'PASSPORT'
  | 'SECRET'
  | 'MAC'
  | 'WALLET'
  | (string & {});

/** Findings about a question before it is answered. */
export interface Verdict {
  /** The question as it was understood: in normal form, without control and invisible characters. */
  question: string;
  /** Its language, a primary tag of BCP 47 such as `en`, where that can be told. */
  language?: string;
  /** Its main script, as ISO 15924 has it, such as `Latn`, where that can be told. */
  script?: string;
  /** Its intent, by its form. More may be added. */
  intent: 'what-is' | 'dosage' | 'interaction' | 'comparison' | 'procedure' | 'temporal' | 'other' | (string & {});
  /** Oddities of it; not there if nothing is odd. */
  notices?: Notice[];
  /** The emergency that it tells about. */
  emergency?: Emergency;
}

/** Something odd about a question. */
export interface Notice {
  /** More kinds may be added. */
  kind: 'markup' | 'sql' | 'control' | 'invisible' | 'bidi' | 'mixed-script' | (string & {});
  /** Its place, in UTF-16 positions of {@link Verdict.question}; empty if something was taken out. */
  span: Span;
  /** A description in words for a person. */
  message: string;
}

/** An emergency that a question describes. */
export interface Emergency {
  category: EmergencyCategory;
  /** The words that show it, in UTF-16 positions of {@link Verdict.question}. */
  span: Span;
  /** The same words. */
  matched: string;
  /** Advice on what to do now; see {@link GuardOptions.messages}. */
  message: string;
}

/** Findings about the question of a run. */
export interface AnswerGuard extends Verdict {
  /** The number of different values of each kind of personal data the run has met, by {@link PiiKind}. */
  pii: Record<string, number>;
}

/** The check of a claim against the sources that it cites, by computation. docs/checking-answers.md says how. */
export interface ClaimCheck {
  /**
   * `supported`: it stands there, as far as can be computed.
   * `unsupported`: it does not, or something in it contradicts its sources. `uncited`: it cites nothing. `not_checked`: that
   * cannot be told, since it is in other words or another language than its sources, or it states nothing. More may be added.
   */
  status: ClaimStatus;
  /** The share of what it says that stands in the best place of its sources, 0 to 1, by the weight of its words. */
  coverage: number;
  /** The place in each cited source that says most of it, in the order of the citations. */
  evidence: ClaimEvidence[];
  /** Sources that would support it and that it does not cite, best first. */
  alternatives?: ClaimEvidence[];
}

export type ClaimStatus = 'supported' | 'unsupported' | 'uncited' | 'not_checked' | (string & {});

/** A place in a source that says what a claim says, of one to three sentences. */
export interface ClaimEvidence {
  /** The number of the source. */
  number: number;
  /** Its place, in UTF-16 positions of the source's `text`. */
  span: Span;
  /** The share of the claim that stands there, 0 to 1. */
  coverage: number;
  /**
   * The claim's values, in its order. Those that only title, headings or metadata of the source have are left out. Not there if
   * the claim has none.
   */
  values?: ValueEvidence[];
}

/** A value of a claim, and its place in a source. */
export interface ValueEvidence {
  /** The kind of value; `direction` is a word that has an opposite, such as "before". */
  kind: 'number' | 'date' | 'name' | 'symbol' | 'quote' | 'denial' | 'direction' | (string & {});
  /** Its place, in UTF-16 positions of the answer's `text`. */
  span: Span;
  /**
   * Its place, in UTF-16 positions of the source's `text`: in the span of the evidence if it stands there, else elsewhere in the
   * passage. `null` if the passage does not have it, or says the opposite.
   */
  found: Span | null;
}

/** The confidence in an answer. Never show `value` without its parts: one number hides what is doubtful. */
export interface Confidence {
  /** 0 to 1; docs/measurements.md has how far it tells right from wrong. */
  value: number;
  /** Its parts, each 0 to 1, more being better. */
  parts: {
    /** The fit of the best sources to the question. */
    retrieval: number;
    /** The mean share of a claim's values that its sources have, or of its words if it has none. */
    values: number;
    /** The share of claims that cite anything, of those that state something. */
    cited: number;
    /** The mean of 1 for a supported claim, a half for one that is not checked, and 0 for an unsupported one. */
    standing: number;
  };
}

/** The result of {@link redact}. */
export interface Redacted {
  /** The text with placeholders such as `[NAME_1]`. */
  text: string;
  /** The words they stand for, in UTF-16 positions of the text that was given, and in its order. */
  found: { span: Span; label: PiiKind }[];
}

/** The form of a {@link bibliography}: as a numbered list, as CSL-JSON, or as BibTeX. */
export type BibliographyFormat = 'list' | 'csl-json' | 'bibtex';
