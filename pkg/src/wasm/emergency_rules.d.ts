// Replaces the generated file when this package is type-checked; it is neither compiled nor published.
declare const rules: string;
export default rules;
