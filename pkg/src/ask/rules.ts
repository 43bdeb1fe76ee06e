import { IbidError } from '../error.js';

/** Fetches the text of the rules for emergencies, which only a page that looks for them fetches. */
export function emergencyRules(): Promise<string> {
  return loaded('The rules for emergencies', 'emergency_rules.js', () => import('../wasm/emergency_rules.js'));
}

/** Fetches the rules by which personal data is found, which only a page fetches whose questions leave it. */
export function piiRules(): Promise<string> {
  return loaded('The rules for personal data', 'pii_rules.js', () => import('../wasm/pii_rules.js'));
}

async function loaded(what: string, file: string, load: () => Promise<{ default: string }>): Promise<string> {
  try {
    return (await load()).default;
  } catch (error) {
    // The module that asks knows no code for files of the package.
    throw new IbidError('network', `${what} could not be loaded.`, {
      hint: `Deploy wasm/${file} of this package next to its other files.`,
      retryable: true,
      cause: error,
    });
  }
}
