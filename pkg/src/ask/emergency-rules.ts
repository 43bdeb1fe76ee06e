import { IbidError } from '../error.js';

/** The text of the rules for emergencies, which only a page that looks for them fetches. */
export async function emergencyRules(): Promise<string> {
  try {
    return (await import('../wasm/emergency_rules.js')).default;
  } catch (error) {
    throw new IbidError('wasm-load', 'The rules for emergencies could not be loaded.', {
      hint: 'Deploy wasm/emergency_rules.js of this package beside its other files.',
      retryable: true,
      cause: error,
    });
  }
}
